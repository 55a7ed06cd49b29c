#include "ui/scenes/lookup_origin.h"

#include "core/model/spec.h"

#include <algorithm>

namespace shardlens {
namespace {

const MaskPartial* maskPlacement(const TensorRecord& tensor) {
  for (const Placement& placement : tensor.placements) {
    if (const auto* mask = std::get_if<MaskPartial>(&placement)) {
      return mask;
    }
  }
  return nullptr;
}

// The tensor that the redistribution read whose result this is; 0 is none.
TensorId sourceOf(const Journal& journal, EventId born) {
  for (EventId at = born; at != 0; at = journal.at(at).parent) {
    const Event& event = journal.at(at);
    if (event.kind == EventKind::Redistribute) {
      return event.subject;
    }
    if (event.kind == EventKind::Compute || event.kind == EventKind::Operator) {
      return 0;
    }
  }
  return 0;
}

std::optional<double> element(const Journal& journal, const ValueRecord* value, std::int64_t at) {
  if (value == nullptr || !value->data || at < 0) {
    return std::nullopt;
  }
  const DType dtype = journal.tensor(value->tensor).dtype;
  if ((at + 1) * dtypeSize(dtype) > static_cast<std::int64_t>(value->data->size())) {
    return std::nullopt;
  }
  return elementAt(dtype, value->data->data(), at);
}

}  // namespace

std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id) {
  for (int hops = 0; hops < 8 && id != 0; ++hops) {
    const TensorState* state = snapshot.tensor(id);
    if (state == nullptr) {
      return std::nullopt;
    }
    const MaskPartial* mask = maskPlacement(journal.tensor(id));
    if (mask != nullptr && state->mask != 0 && isFloating(journal.tensor(id).dtype)) {
      for (const TensorState& other : snapshot.tensors) {
        const TensorRecord& record = journal.tensor(other.id);
        const TensorId ids = other.mask == state->mask && !isFloating(record.dtype)
                                 ? sourceOf(journal, other.born)
                                 : 0;
        if (ids != 0) {
          return LookupOrigin{ids, other.id, mask->offsetShape, mask->offsetDim};
        }
      }
      return std::nullopt;
    }
    id = sourceOf(journal, state->born);
  }
  return std::nullopt;
}

std::int64_t tableRow(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                      const RankPart& part, std::int64_t flat) {
  if (!view.origin || part.local.empty()) {
    return -1;
  }
  const LookupOrigin& origin = *view.origin;
  const std::int64_t width = std::max<std::int64_t>(part.local.back(), 1);
  const std::int64_t row = flat / width;
  const bool pending = maskPlacement(*view.record) != nullptr;
  if (pending && view.mesh) {
    Placements cut = view.record->placements;
    for (Placement& placement : cut) {
      placement = isMaskPartial(placement) ? Placement(Shard{origin.dim}) : Placement(Replicate{});
    }
    const auto owned = ownedRuns(origin.table, *view.mesh, cut, part.rank);
    const auto local =
        element(journal, journal.value(origin.local, part.rank, snapshot.position), row);
    return local ? globalIndex(owned[static_cast<std::size_t>(origin.dim)],
                               static_cast<std::int64_t>(*local))
                 : -1;
  }
  // After the reduction a row is the id that asked for it. Ids that every rank has are enough.
  const TensorRecord& ids = journal.tensor(origin.ids);
  const auto placed = [](const Placement& p) { return isReplicate(p); };
  if (!std::all_of(ids.placements.begin(), ids.placements.end(), placed) || part.runs.empty()) {
    return -1;
  }
  Shape at = coordinates(part.local, flat);
  std::int64_t global = 0;
  for (std::size_t dim = 0; dim + 1 < at.size(); ++dim) {
    global = global * view.record->shape[dim] + globalIndex(part.runs[dim], at[dim]);
  }
  const auto id = element(journal, journal.value(origin.ids, part.rank, snapshot.position), global);
  return id ? static_cast<std::int64_t>(*id) : -1;
}

}  // namespace shardlens
