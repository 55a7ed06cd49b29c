#include "core/trace/tensor_ranks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace shardlens {
namespace {

std::vector<int> united(const std::vector<int>& a, std::vector<int> b) {
  std::sort(b.begin(), b.end());
  std::vector<int> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

std::optional<DeviceMesh> recordedMesh(const Journal& journal) {
  auto mesh = parseMesh(journal.meta("mesh"));
  return mesh ? std::optional(std::move(*mesh)) : std::nullopt;
}

std::vector<int> hostedRanks(const Journal& journal) {
  const auto said = journal.meta().find("hosted");
  if (said == journal.meta().end() || isDry(journal)) {
    const auto mesh = recordedMesh(journal);
    return mesh ? mesh->ranks() : std::vector<int>();
  }
  std::vector<int> hosted;
  for (auto& group : parseRanks(said->second)) hosted = united(hosted, std::move(group));
  return hosted;
}

bool isDry(const Journal& journal) { return journal.meta("backend") == "dry"; }

std::vector<int> absentRanks(const Journal& journal, EventId event) {
  auto ranks = journal.isMerged() ? hostedRanks(journal) : std::vector<int>();
  std::erase_if(ranks, [&](int rank) { return journal.timing(event, rank).has_value(); });
  return ranks;
}

TensorRanks::TensorRanks(const Journal& journal, TensorId tensor) {
  const TensorRecord& record = journal.tensor(tensor);
  const auto captured = journal.ranksOf(tensor);
  const auto whole = recordedMesh(journal);
  mesh_ = record.mesh ? record.mesh : whole;
  if (mesh_ && record.placements.size() != static_cast<std::size_t>(mesh_->ndim())) mesh_.reset();
  here_ = united(hostedRanks(journal), captured);
  if (whole) all_ = whole->ranks();
  if (mesh_) all_ = united(all_, mesh_->ranks());
  all_ = united(all_, captured);
}

Whereabouts TensorRanks::of(int rank) const {
  if (mesh_ && !mesh_->has(rank)) return Whereabouts::NotInMesh;
  const bool here = std::binary_search(here_.begin(), here_.end(), rank);
  return here ? Whereabouts::Here : Whereabouts::OtherProcess;
}

std::string axisOf(const Journal& journal, const Event& collective) {
  const auto detail = nlohmann::json::parse(journal.detail(collective), nullptr,
                                            /*allow_exceptions=*/false);
  if (detail.is_object() && detail.contains("axis") && detail["axis"].is_string()) {
    return detail["axis"];
  }
  const auto mesh = recordedMesh(journal);
  const bool named = mesh && collective.meshDim >= 0 && collective.meshDim < mesh->ndim();
  return named ? mesh->names()[static_cast<std::size_t>(collective.meshDim)] : std::string();
}

}  // namespace shardlens
