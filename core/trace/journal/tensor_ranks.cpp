#include "core/trace/journal/tensor_ranks.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/records/collective_record.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace shardlens {
namespace {

std::vector<int> united(const std::vector<int>& a, std::vector<int> b) {
  std::sort(b.begin(), b.end());
  std::vector<int> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

// Returns the dimension of the meshes that have one dimension and exactly these ranks. Empty if the
// recording has no such mesh, or if the names of these meshes differ.
std::string axisOfMembers(const Journal& journal, std::string_view ranks) {
  if (ranks.find('|') != std::string_view::npos) return {};  // several groups
  const auto members = parseRankRanges(ranks);
  const std::int64_t count = rankCount(members);
  std::string axis;
  const auto contradicts = [&](const DeviceMesh& mesh) {
    if (mesh.ndim() != 1 || mesh.size() != count || mesh.names().front() == axis) return false;
    const auto all = mesh.ranks();
    if (!std::ranges::all_of(all, [&](int rank) { return contains(members, rank); })) return false;
    return !std::exchange(axis, mesh.names().front()).empty();
  };
  if (const auto mesh = recordedMesh(journal); mesh && contradicts(*mesh)) return {};
  const DeviceMesh* previous = nullptr;
  for (SpecId id = 1; id <= journal.specs(); ++id) {
    const DeviceMesh* mesh = journal.spec(id).mesh.get();
    if (mesh == nullptr || (previous != nullptr && *mesh == *previous)) continue;
    if (contradicts(*mesh)) return {};
    previous = mesh;
  }
  return axis;
}

}  // namespace

std::optional<DeviceMesh> recordedMesh(const Journal& journal) {
  auto mesh = parseMesh(journal.meta("mesh"));
  return mesh ? std::optional(std::move(*mesh)) : std::nullopt;
}

std::optional<DeviceMesh> meshOf(const Journal& journal, const MeshPtr& mesh) {
  return mesh ? std::optional(*mesh) : recordedMesh(journal);
}

std::vector<RankRange> hostedRanges(const Journal& journal) {
  const auto hosted = journal.meta().find("hosted");
  if (hosted != journal.meta().end() && !isDry(journal)) return parseRankRanges(hosted->second);
  const auto mesh = recordedMesh(journal);
  return mesh ? std::vector{RankRange{0, mesh->size() - 1}} : std::vector<RankRange>();
}

std::vector<int> hostedRanks(const Journal& journal) {
  std::vector<int> hosted;
  for (const auto& range : hostedRanges(journal)) {
    for (int rank = range.first; rank <= range.last; ++rank) hosted.push_back(rank);
  }
  return hosted;
}

bool isDry(const Journal& journal) { return journal.transport() == Transport::Dry; }

bool isImported(const Journal& journal) { return !journal.meta("imported").empty(); }

bool isOfProcesses(const Journal& journal) {
  const Transport transport = journal.transport();
  return (transport == Transport::Gloo || transport == Transport::Nccl) && !isImported(journal);
}

bool recordsAllWrites(const Journal& journal) {
  return journal.transport() != Transport::Other && !isImported(journal);
}

std::vector<int> absentRanks(const Journal& journal, EventId event) {
  if (journal.isMerged()) {
    // Only ranks that the event names can have recorded it.
    const auto named = parseRankRanges(journal.text(journal.at(event).ranks));
    auto ranks = hostedRanks(journal);
    std::erase_if(ranks, [&](int rank) {
      return (named.empty() || contains(named, rank)) && journal.part(event, rank).has_value();
    });
    return ranks;
  }
  const Event it = journal.at(event);
  if (it.kind != EventKind::Collective) return {};
  const auto only = readArrivedRanks(journal.detail(it));
  if (only.empty()) return {};
  const auto came = parseRankRanges(only);
  auto ranks = hostedRanks(journal);
  std::erase_if(ranks, [&](int rank) { return contains(came, rank); });
  return ranks;
}

std::vector<int> missingMembers(const Journal& journal, EventId event) {
  const Event it = journal.at(event);
  if (it.kind != EventKind::Collective) return {};
  std::vector<RankRange> came;
  if (!journal.isMerged()) {
    const auto only = readArrivedRanks(journal.detail(it));
    if (only.empty()) return {};
    came = parseRankRanges(only);
  }
  const auto hosted = hostedRanges(journal);
  std::vector<int> absent;
  for (const auto& [first, last] : parseRankRanges(journal.text(it.ranks))) {
    // A damaged recording may name far more ranks than there are.
    auto range = std::ranges::lower_bound(hosted, first, {}, &RankRange::last);
    for (; range != hosted.end() && range->first <= last; ++range) {
      for (int rank = std::max(first, range->first); rank <= std::min(last, range->last); ++rank) {
        const bool has =
            journal.isMerged() ? journal.part(event, rank).has_value() : contains(came, rank);
        if (!has) absent.push_back(rank);
      }
    }
  }
  return absent;
}

TensorRanks::TensorRanks(const Journal& journal, TensorId tensor) : hosted_(hostedRanges(journal)) {
  const TensorRecord record = journal.tensor(tensor);
  auto whole = recordedMesh(journal);
  whole_ = whole ? whole->size() : 0;
  mesh_ = record.mesh ? std::optional(*record.mesh) : std::move(whole);
  if (mesh_ && record.placements.size() != static_cast<std::size_t>(mesh_->ndim())) mesh_.reset();
  // Skip the lookup of captured ranks if this process hosts every rank.
  const bool hostsAll = whole_ > 0 && hosted_ == std::vector{RankRange{0, whole_ - 1}};
  if (!hostsAll) captured_ = journal.ranksOf(tensor);
}

std::vector<int> TensorRanks::first(int most) const {
  std::vector<int> ranks(static_cast<std::size_t>(std::min(whole_, most)));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (static_cast<int>(ranks.size()) == most) return ranks;
  if (mesh_) ranks = united(ranks, mesh_->ranks());
  ranks = united(ranks, captured_);
  if (static_cast<int>(ranks.size()) > most) ranks.resize(static_cast<std::size_t>(most));
  return ranks;
}

RankLocation TensorRanks::of(int rank) const {
  if (mesh_ && !mesh_->has(rank)) return RankLocation::NotInMesh;
  const bool here =
      contains(hosted_, rank) || std::binary_search(captured_.begin(), captured_.end(), rank);
  return here ? RankLocation::Here : RankLocation::OtherProcess;
}

Shape globalIndexOf(const Journal& journal, TensorId tensor, int rank, const Shape& local,
                    std::int64_t element) {
  Shape index = coordinates(local, element);
  const TensorRecord record = journal.tensor(tensor);
  const auto mesh = meshOf(journal, record.mesh);
  if (!mesh || !mesh->has(rank) ||
      record.placements.size() != static_cast<std::size_t>(mesh->ndim()) ||
      localShape(record.shape, *mesh, record.placements, rank) != local) {
    return index;
  }
  const Block owned = ownedRuns(record.shape, *mesh, record.placements, rank);
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    index[dim] = globalIndex(owned[dim], index[dim]);
  }
  return index;
}

std::string axisOf(const Journal& journal, const Event& collective) {
  auto record = readCollective(journal.detail(collective));
  if (!record.axis.empty()) return std::move(record.axis);
  const auto mesh = recordedMesh(journal);
  const bool named = mesh && collective.meshDim >= 0 && collective.meshDim < mesh->ndim();
  if (named) return mesh->names()[static_cast<std::size_t>(collective.meshDim)];
  return axisOfMembers(journal, journal.text(collective.ranks));
}

int meshDimOf(const Journal& journal, const Event& collective) {
  if (collective.meshDim >= 0) return collective.meshDim;
  const auto mesh = recordedMesh(journal);
  if (!mesh) return -1;
  const auto place = std::ranges::find(mesh->names(), axisOf(journal, collective));
  return place == mesh->names().end() ? -1 : static_cast<int>(place - mesh->names().begin());
}

const std::string& Axes::of(const Event& collective) {
  const auto [known, isNew] =
      known_.try_emplace({collective.detail, collective.ranks, collective.meshDim});
  if (isNew) known->second = axisOf(journal_, collective);
  return known->second;
}

}  // namespace shardlens
