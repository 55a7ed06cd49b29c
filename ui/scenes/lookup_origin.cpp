#include "ui/scenes/lookup_origin.h"

#include "core/model/spec.h"
#include "ui/models/program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
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

// The ids of the look-up that made a tensor, by the arguments of the last operator before it.
TensorId idsOf(const Journal& journal, const Snapshot& snapshot, EventId born) {
  EventId at = born;
  while (at > 0 && journal.at(at).kind != EventKind::Operator) {
    if (journal.at(at).kind == EventKind::Step) {
      return 0;
    }
    --at;
  }
  if (at == 0 || journal.name(journal.at(at)).find("embedding") == std::string_view::npos) {
    return 0;
  }
  const auto detail = journal.detail(journal.at(at));
  const auto args =
      QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<int>(detail.size())))
          .object()[QStringLiteral("args")]
          .toArray();
  const std::string ids = args.at(1).toString().section(u':', 0, 0).toStdString();
  TensorId found = 0;
  for (const TensorState& state : snapshot.tensors) {
    const TensorRecord& record = journal.tensor(state.id);
    if (state.born < at && record.name == ids && !isFloating(record.dtype)) {
      found = state.id;
    }
  }
  return found;
}

// Which rows of a table a rank owns.
Runs ownedRows(const TensorView& view, const Shape& table, int dim, int rank) {
  Placements cut = view.record->placements;
  for (Placement& placement : cut) {
    placement = isMaskPartial(placement) ? Placement(Shard{dim}) : Placement(Replicate{});
  }
  return ownedRuns(table, *view.mesh, cut, rank)[static_cast<std::size_t>(dim)];
}

Runs ownedRows(const TensorView& view, int rank) {
  return ownedRows(view, view.origin->table, view.origin->dim, rank);
}

// The newest tensor of this name that is there.
const TensorRecord* named(const Journal& journal, const Snapshot& snapshot,
                          const std::string& name) {
  const TensorRecord* found = nullptr;
  for (const TensorState& state : snapshot.tensors) {
    const TensorRecord& record = journal.tensor(state.id);
    found = record.name == name ? &record : found;
  }
  return found;
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
    if (mask != nullptr && isFloating(journal.tensor(id).dtype)) {
      for (const TensorState& other : snapshot.tensors) {
        const bool shares = state->mask != 0 && other.mask == state->mask;
        const TensorId ids = shares && !isFloating(journal.tensor(other.id).dtype)
                                 ? sourceOf(journal, other.born)
                                 : 0;
        if (ids != 0) {
          return LookupOrigin{ids, other.id, mask->offsetShape, mask->offsetDim};
        }
      }
      const TensorId ids = idsOf(journal, snapshot, state->born);
      return ids == 0 ? std::nullopt
                      : std::optional(LookupOrigin{ids, 0, mask->offsetShape, mask->offsetDim});
    }
    id = sourceOf(journal, state->born);
  }
  return std::nullopt;
}

std::optional<FetchedTable> fetchedTable(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id) {
  const TensorRecord& ids = journal.tensor(id);
  if (isFloating(ids.dtype) || ids.dtype == DType::Bool || ids.shape.empty()) {
    return std::nullopt;
  }
  if (const MaskPartial* mask = maskPlacement(ids)) {
    return FetchedTable{mask->offsetShape, mask->offsetDim};
  }
  const QString wanted = u'$' + QString::fromStdString(ids.name);
  const auto program = programOf(journal);
  for (const QJsonValue& step : program->scenario[QStringLiteral("steps")].toArray()) {
    const QJsonArray args = step.toObject()[QStringLiteral("args")].toArray();
    const bool looksUp =
        step.toObject()[QStringLiteral("call")].toString().contains(QStringLiteral("embedding"));
    if (!looksUp || args.at(1).toString() != wanted) {
      continue;
    }
    const auto* table = named(journal, snapshot, args.at(0).toString().mid(1).toStdString());
    if (table != nullptr && !table->shape.empty()) {
      return FetchedTable{table->shape, 0};
    }
  }
  return std::nullopt;
}

bool isLocalIds(const Journal& journal, const Snapshot& snapshot, TensorId id) {
  const TensorState* state = snapshot.tensor(id);
  if (state == nullptr || maskPlacement(journal.tensor(id)) == nullptr) {
    return false;
  }
  const TensorId source = sourceOf(journal, state->born);
  return source != 0 && maskPlacement(journal.tensor(source)) == nullptr;
}

std::int64_t fetchedRow(const TensorView& view, const RankPart& part, std::int64_t flat) {
  if (!view.fetches || !part.hasData() || !view.mesh || !view.mesh->has(part.rank)) {
    return -1;
  }
  const auto id = static_cast<std::int64_t>(part.element(view.record->dtype, flat));
  if (maskPlacement(*view.record) == nullptr) {
    return id;
  }
  return globalIndex(ownedRows(view, view.fetches->shape, view.fetches->dim, part.rank), id);
}

std::optional<std::int64_t> idAt(const Journal& journal, const Snapshot& snapshot,
                                 const TensorView& view, const RankPart& part, std::int64_t flat) {
  const TensorRecord& ids = journal.tensor(view.origin->ids);
  const bool placed = view.mesh && view.mesh->has(part.rank) && ids.mesh == view.record->mesh &&
                      ids.placements.size() == view.record->placements.size();
  if (!placed || part.runs.size() != part.local.size() ||
      ids.shape.size() + 1 != part.local.size()) {
    return std::nullopt;
  }
  const auto held = ownedRuns(ids.shape, *view.mesh, ids.placements, part.rank);
  const Shape at = coordinates(part.local, flat);
  std::int64_t place = 0;
  for (std::size_t dim = 0; dim < held.size(); ++dim) {
    const auto local = localIndex(held[dim], globalIndex(part.runs[dim], at[dim]));
    if (local < 0) {
      return std::nullopt;
    }
    place = place * totalLength(held[dim]) + local;
  }
  const auto id =
      element(journal, journal.value(view.origin->ids, part.rank, snapshot.position), place);
  return id ? std::optional(static_cast<std::int64_t>(*id)) : std::nullopt;
}

std::int64_t tableRow(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                      const RankPart& part, std::int64_t flat) {
  if (!view.origin || part.local.empty() || !view.mesh || !view.mesh->has(part.rank)) {
    return -1;
  }
  if (maskPlacement(*view.record) == nullptr) {
    return idAt(journal, snapshot, view, part, flat).value_or(-1);
  }
  const Runs owned = ownedRows(view, part.rank);
  if (view.origin->local == 0) {
    const auto id = idAt(journal, snapshot, view, part, flat);
    const bool ours = id && localIndex(owned, *id) >= 0;
    return ours ? *id : globalIndex(owned, 0);
  }
  const auto row = flat / std::max<std::int64_t>(part.local.back(), 1);
  const auto local =
      element(journal, journal.value(view.origin->local, part.rank, snapshot.position), row);
  return local ? globalIndex(owned, static_cast<std::int64_t>(*local)) : -1;
}

std::vector<bool> foreignRows(const Journal& journal, const Snapshot& snapshot,
                              const TensorView& view, const RankPart& part) {
  std::vector<bool> foreign;
  const bool pending = maskPlacement(*view.record) != nullptr;
  if (!pending || !part.hasData() || part.local.empty() || part.local.back() == 0) {
    return foreign;
  }
  const Runs owned = ownedRows(view, part.rank);
  for (std::int64_t flat = 0; flat < elementCount(part.local); flat += part.local.back()) {
    const auto id = idAt(journal, snapshot, view, part, flat);
    foreign.push_back(id && localIndex(owned, *id) < 0);
  }
  return foreign;
}

}  // namespace shardlens
