#include "ui/scenes/tensor_view.h"

#include "core/model/spec.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>
#include <map>

namespace shardlens {
namespace {

std::vector<bool> bitsOf(const Journal& journal, TensorId mask, int rank, EventId position) {
  std::vector<bool> bits;
  const auto value = wholeValue(journal, mask, rank, position);
  if (value != nullptr && value->data) {
    for (const std::byte bit : *value->data) {
      bits.push_back(bit != std::byte{0});
    }
  }
  return bits;
}

// Returns true if the ranks hold the same indices of both tensors.
bool isPlacedAlike(const TensorView& view, const TensorView& other) {
  return other.record != nullptr && !other.isInferred && view.mesh && other.mesh == view.mesh &&
         other.record->shape == view.record->shape &&
         other.record->placements == view.record->placements;
}

}  // namespace

std::shared_ptr<const ValueRecord> wholeValue(const Journal& journal, TensorId id, int rank,
                                              EventId position) {
  auto value = journal.value(id, rank, position);
  if (!value) {
    return nullptr;
  }
  value->data = journal.elements(*value);
  return std::make_shared<const ValueRecord>(std::move(*value));
}

bool RankPart::masked(std::int64_t flat) const {
  const auto rows = static_cast<std::int64_t>(away.size());
  const auto all = elementCount(local);
  return rows != 0 && all != 0 && all % rows == 0 &&
         away[static_cast<std::size_t>(flat / (all / rows))];
}

std::optional<std::int64_t> RankPart::flatOf(const Shape& global) const {
  if (runs.size() != global.size()) {
    return std::nullopt;
  }
  std::int64_t flat = 0;
  for (std::size_t dim = 0; dim < global.size(); ++dim) {
    const auto at = localIndex(runs[dim], global[dim]);
    if (at < 0) {
      return std::nullopt;
    }
    flat = flat * local[dim] + at;
  }
  return flat;
}

std::vector<std::vector<int>> TensorView::copies() const {
  std::map<std::vector<int>, std::vector<int>> groups;
  for (const RankPart& part : parts) {
    if (part.where == RankLocation::NotInMesh) {
      continue;
    }
    std::vector<int> key{part.rank};
    if (mesh) {
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

std::vector<int> TensorView::outside() const {
  std::vector<int> ranks;
  for (const RankPart& part : parts) {
    if (part.where == RankLocation::NotInMesh) {
      ranks.push_back(part.rank);
    }
  }
  return ranks;
}

const RankPart* TensorView::part(int rank) const {
  const auto found = std::lower_bound(parts.begin(), parts.end(), rank,
                                      [](const auto& p, int target) { return p.rank < target; });
  return found == parts.end() || found->rank != rank ? nullptr : &*found;
}

const RankPart& TensorView::shown(const std::vector<int>& ranks) const {
  const auto found = std::find_if(ranks.begin(), ranks.end(),
                                  [this](int rank) { return part(rank)->value != nullptr; });
  return *part(found == ranks.end() ? ranks.front() : *found);
}

TensorView viewTensor(const Journal& journal, const Snapshot& snapshot, TensorId id,
                      const TensorView* before) {
  TensorView view;
  const auto state = snapshot.tensor(id);
  if (!state) {
    return view;
  }
  view.record = std::make_shared<const TensorRecord>(journal.tensor(id));
  view.changed = state->changed == snapshot.position;
  view.valuesOf = state->changed;
  const bool isRead = before != nullptr && before->record != nullptr && before->record->id == id &&
                      before->valuesOf == state->changed;
  const TensorRanks ranks(journal, id);
  view.mesh = ranks.mesh();
  // Placing a tensor on 1,024 ranks takes a millisecond, and steps often show tensors placed alike.
  const TensorView* alike = before != nullptr && isPlacedAlike(view, *before) ? before : nullptr;
  const auto shown = ranks.first(TensorView::kMostRanks);
  view.parts.reserve(shown.size());
  view.ranksLeft = view.mesh ? view.mesh->size() : 0;
  for (const int rank : shown) {
    RankPart part;
    part.rank = rank;
    part.where = ranks.of(rank);
    const RankPart* known = isRead ? before->part(rank) : nullptr;
    part.value = known == nullptr ? wholeValue(journal, id, rank, snapshot.position) : known->value;
    if (view.mesh && view.mesh->has(rank)) {
      --view.ranksLeft;
      const RankPart* placed = alike == nullptr ? nullptr : alike->part(rank);
      if (placed != nullptr && !placed->runs.empty()) {
        part.runs = placed->runs;
        part.local = placed->local;
      } else {
        part.runs = ownedRuns(view.record->shape, *view.mesh, view.record->placements, rank);
        part.local = localShape(view.record->shape, *view.mesh, view.record->placements, rank);
      }
    }
    // If ranks are sharded in another order than the placements imply, the value's shape is right.
    if (part.value != nullptr && part.value->shape != part.local) {
      part.local = part.value->shape;
      part.runs.clear();
    }
    if (state->mask != 0) {
      part.away = bitsOf(journal, state->mask, rank, snapshot.position);
    }
    view.parts.push_back(std::move(part));
  }
  view.origin = lookupOrigin(journal, snapshot, id);
  view.fetches = fetchedTable(journal, snapshot, id);
  view.localIds = isLocalIds(journal, snapshot, id);
  if (view.origin && view.origin->local == 0) {
    for (RankPart& part : view.parts) {
      const bool isPlaced = view.mesh && view.mesh->has(part.rank);
      part.away = isPlaced && part.away.empty()
                      ? PartLookup(journal, snapshot, view, part).foreignRows()
                      : std::move(part.away);
    }
  }
  return view;
}

TensorView beforeThat(const Journal& journal, TensorView view) {
  for (RankPart& part : view.parts) {
    const EventId event = part.value == nullptr ? 0 : part.value->event;
    auto before = event == 0 ? nullptr : wholeValue(journal, view.record->id, part.rank, event - 1);
    const bool isAlike = before != nullptr && before->shape == part.local;
    part.value = isAlike ? std::move(before) : nullptr;
  }
  return view;
}

}  // namespace shardlens
