#include "ui/scenes/tensor_view.h"

#include "core/model/spec.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace shardlens {
namespace {

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(by), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::shared_ptr<const ValueRecord> kept(const ValueRecord* value) {
  return value == nullptr ? nullptr : std::make_shared<const ValueRecord>(*value);
}

std::vector<bool> bitsOf(const ValueRecord* mask) {
  std::vector<bool> bits;
  if (mask != nullptr && mask->data) {
    for (const std::byte bit : *mask->data) {
      bits.push_back(bit != std::byte{0});
    }
  }
  return bits;
}

}  // namespace

std::optional<DeviceMesh> recordedMesh(const Journal& journal) {
  const auto halves = split(journal.meta("mesh"), ':');
  if (halves.empty()) {
    return std::nullopt;
  }
  std::vector<int> shape;
  for (const auto& part : split(halves[0], 'x')) {
    int size = 0;
    std::from_chars(part.data(), part.data() + part.size(), size);
    shape.push_back(size);
  }
  auto mesh = DeviceMesh::make(
      shape, halves.size() > 1 ? split(halves[1], ',') : std::vector<std::string>());
  return mesh ? std::optional(*mesh) : std::nullopt;
}

bool RankPart::masked(std::int64_t flat) const {
  const auto rows = static_cast<std::int64_t>(away.size());
  const auto all = elementCount(local);
  return rows != 0 && all != 0 && all % rows == 0 &&
         away[static_cast<std::size_t>(flat / (all / rows))];
}

std::vector<std::vector<int>> TensorView::copies() const {
  std::map<std::vector<int>, std::vector<int>> groups;
  for (const RankPart& part : parts) {
    std::vector<int> key{part.rank};
    if (mesh && record->placements.size() == static_cast<std::size_t>(mesh->ndim())) {
      key = mesh->coordinate(part.rank);
      for (std::size_t dim = 0; dim < key.size(); ++dim) {
        key[dim] = isReplicate(record->placements[dim]) ? 0 : key[dim];
      }
    }
    groups[key].push_back(part.rank);
  }
  std::vector<std::vector<int>> result;
  for (auto& [key, ranks] : groups) {
    result.push_back(std::move(ranks));
  }
  return result;
}

const RankPart* TensorView::part(int rank) const {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [rank](const auto& p) { return p.rank == rank; });
  return found == parts.end() ? nullptr : &*found;
}

TensorView viewTensor(const Journal& journal, const Snapshot& snapshot, TensorId id) {
  TensorView view;
  view.mesh = recordedMesh(journal);
  const TensorState* state = snapshot.tensor(id);
  if (state == nullptr) {
    return view;
  }
  view.record = std::make_shared<const TensorRecord>(journal.tensor(id));
  view.changed = state->changed == snapshot.position;
  const auto& placements = view.record->placements;
  const bool placed = view.mesh && placements.size() == static_cast<std::size_t>(view.mesh->ndim());
  std::vector<int> ranks = journal.ranksOf(id);
  if (ranks.empty() && placed) {
    for (int rank = 0; rank < view.mesh->size(); ++rank) {
      ranks.push_back(rank);
    }
  }
  for (const int rank : ranks) {
    RankPart part;
    part.rank = rank;
    part.value = kept(journal.value(id, rank, snapshot.position));
    if (placed && rank < view.mesh->size()) {
      part.runs = ownedRuns(view.record->shape, *view.mesh, placements, rank);
      part.local = localShape(view.record->shape, *view.mesh, placements, rank);
    }
    // Ranks cut in another order than the placements say: their values know better.
    if (part.value != nullptr && part.value->shape != part.local) {
      part.local = part.value->shape;
      part.runs.clear();
    }
    if (state->mask != 0) {
      part.away = bitsOf(journal.value(state->mask, rank, snapshot.position));
    }
    view.parts.push_back(std::move(part));
  }
  view.origin = lookupOrigin(journal, snapshot, id);
  if (view.origin && view.origin->local == 0) {
    for (RankPart& part : view.parts) {
      part.away = part.away.empty() ? foreignRows(journal, snapshot, view, part) : part.away;
    }
  }
  return view;
}

TensorId tensorInFocus(const Journal& journal, const Snapshot& snapshot) {
  for (EventId id = snapshot.position; id > 0; --id) {
    const Event& event = journal.at(id);
    TensorId subject = 0;
    if (event.kind == EventKind::Result || event.kind == EventKind::Redistribute) {
      subject = event.subject;
    } else if (event.kind == EventKind::MaskApplied) {
      subject = event.related;
    }
    if (subject != 0 && snapshot.tensor(subject) != nullptr) {
      return subject;
    }
  }
  return snapshot.tensors.empty() ? 0 : snapshot.tensors.front().id;
}

std::int64_t globalIndex(const Runs& runs, std::int64_t local) {
  for (const Run& run : runs) {
    if (local < run.length) {
      return run.begin + local;
    }
    local -= run.length;
  }
  return -1;
}

std::int64_t localIndex(const Runs& runs, std::int64_t global) {
  std::int64_t before = 0;
  for (const Run& run : runs) {
    if (global >= run.begin && global < run.begin + run.length) {
      return before + global - run.begin;
    }
    before += run.length;
  }
  return -1;
}

Shape coordinates(const Shape& shape, std::int64_t flat) {
  Shape result(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const auto size = std::max<std::int64_t>(shape[dim], 1);
    result[dim] = flat % size;
    flat /= size;
  }
  return result;
}

}  // namespace shardlens
