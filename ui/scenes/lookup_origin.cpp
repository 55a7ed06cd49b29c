#include "ui/scenes/lookup_origin.h"

#include "core/model/spec.h"
#include "ui/text/program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <algorithm>

namespace shardlens {
namespace {

// Limit of the search for the operator of a result, in events. A longer search would be noticeable.
constexpr EventId kMostEventsBack = 20'000;

const MaskPartial* maskPlacement(const TensorRecord& tensor) {
  for (const Placement& placement : tensor.placements) {
    if (const auto* mask = std::get_if<MaskPartial>(&placement)) {
      return mask;
    }
  }
  return nullptr;
}

// Returns the ids of the lookup that created a tensor: the second input of the last operator
// before `born`, if that is an embedding, else 0.
TensorId idsOf(const Journal& journal, EventId born) {
  const EventId first = born - std::min(born, kMostEventsBack);
  EventId at = born;
  while (at > first && journal.at(at).kind != EventKind::Operator) {
    if (journal.at(at).kind == EventKind::Step) {
      return 0;
    }
    --at;
  }
  if (at == first || journal.name(journal.at(at)).find("embedding") == std::string_view::npos) {
    return 0;
  }
  const auto inputs = journal.inputs(at);
  const TensorId ids = inputs.size() < 2 ? 0 : inputs[1];
  return ids == 0 || !isWhole(journal.tensor(ids).dtype) ? 0 : ids;
}

// Returns the table rows that a rank owns.
Runs ownedRows(const TensorView& view, const Shape& table, int dim, int rank) {
  Placements cut = view.record->placements;
  for (Placement& placement : cut) {
    placement = isMaskPartial(placement) ? Placement(Shard{dim}) : Placement(Replicate{});
  }
  return ownedRuns(table, *view.mesh, cut, rank)[static_cast<std::size_t>(dim)];
}

// Returns the newest tensor with this name in the snapshot.
std::optional<TensorRecord> named(const Journal& journal, const Snapshot& snapshot,
                                  const std::string& name) {
  for (std::size_t place = snapshot.tensors.size(); place-- > 0;) {
    const TensorId id = snapshot.histories->tensors.idOf(place);  // without looking up its state
    if (journal.text(journal.nameOf(id)) == name) {
      return journal.tensor(id);
    }
  }
  return std::nullopt;
}

}  // namespace

TensorId redistributedFrom(const Journal& journal, EventId born) {
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

std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id) {
  for (int hops = 0; hops < 8 && id != 0; ++hops) {
    const auto state = snapshot.tensor(id);
    if (!state) {
      return std::nullopt;
    }
    const MaskPartial* mask = maskPlacement(journal.tensor(id));
    if (mask != nullptr && !isWhole(journal.tensor(id).dtype)) {
      for (const TensorId other : snapshot.maskedBy(state->mask)) {
        const bool isIds = isWhole(journal.tensor(other).dtype);
        const TensorId ids = isIds ? redistributedFrom(journal, snapshot.tensor(other)->born) : 0;
        if (ids != 0) {
          return LookupOrigin{ids, other, mask->offsetShape, mask->offsetDim};
        }
      }
      const TensorId ids = idsOf(journal, state->born);
      return ids == 0 ? std::nullopt
                      : std::optional(LookupOrigin{ids, 0, mask->offsetShape, mask->offsetDim});
    }
    id = redistributedFrom(journal, state->born);
  }
  return std::nullopt;
}

std::optional<FetchedTable> fetchedTable(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id) {
  const TensorRecord ids = journal.tensor(id);
  if (!isWhole(ids.dtype) || ids.dtype == DType::Bool || ids.shape.empty()) {
    return std::nullopt;
  }
  if (const MaskPartial* mask = maskPlacement(ids)) {
    return FetchedTable{mask->offsetShape, mask->offsetDim};
  }
  const QString reference = u'$' + QString::fromStdString(ids.name);
  const auto program = programOf(journal);
  for (const QJsonValue& step : program->scenario[QStringLiteral("steps")].toArray()) {
    const QJsonArray args = step.toObject()[QStringLiteral("args")].toArray();
    const bool isLookup =
        step.toObject()[QStringLiteral("call")].toString().contains(QStringLiteral("embedding"));
    if (!isLookup || args.at(1).toString() != reference) {
      continue;
    }
    const auto table = named(journal, snapshot, args.at(0).toString().mid(1).toStdString());
    if (table && !table->shape.empty()) {
      return FetchedTable{table->shape, 0};
    }
  }
  return std::nullopt;
}

bool isLocalIds(const Journal& journal, const Snapshot& snapshot, TensorId id) {
  const auto state = snapshot.tensor(id);
  if (!state || maskPlacement(journal.tensor(id)) == nullptr) {
    return false;
  }
  const TensorId source = redistributedFrom(journal, state->born);
  return source != 0 && maskPlacement(journal.tensor(source)) == nullptr;
}

PartLookup::PartLookup(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                       const RankPart& part)
    : journal_(journal),
      view_(view),
      part_(part),
      isPlaced_(view.mesh && view.mesh->has(part.rank)),
      isPending_(maskPlacement(*view.record) != nullptr) {
  if (isPlaced_ && isPending_ && view.origin) {
    owned_ = ownedRows(view, view.origin->table, view.origin->dim, part.rank);
  } else if (isPlaced_ && isPending_ && view.fetches) {
    owned_ = ownedRows(view, view.fetches->shape, view.fetches->dim, part.rank);
  }
  if (!view.origin) {
    return;
  }
  const TensorRecord ids = journal.tensor(view.origin->ids);
  if (isPlaced_ && areEqual(ids.mesh, view.record->mesh) &&
      ids.placements.size() == view.record->placements.size() &&
      part.runs.size() == part.local.size() && ids.shape.size() + 1 == part.local.size()) {
    ids_ = ownedRuns(ids.shape, *view.mesh, ids.placements, part.rank);
  }
  idValues_ = wholeValue(journal, view.origin->ids, part.rank, snapshot.position);
  localValues_ = view.origin->local == 0
                     ? nullptr
                     : wholeValue(journal, view.origin->local, part.rank, snapshot.position);
}

std::optional<std::int64_t> PartLookup::element(const ValueRecord* value, std::int64_t at) const {
  if (value == nullptr || !value->data || at < 0) {
    return std::nullopt;
  }
  const DType dtype = journal_.tensor(value->tensor).dtype;
  if ((at + 1) * dtypeSize(dtype) > static_cast<std::int64_t>(value->data->size())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(elementAt(dtype, value->data->data(), at));
}

std::optional<std::int64_t> PartLookup::id(std::int64_t flat) const {
  if (!ids_) {
    return std::nullopt;
  }
  const Shape at = coordinates(part_.local, flat);
  std::int64_t place = 0;
  for (std::size_t dim = 0; dim < ids_->size(); ++dim) {
    const Runs& held = (*ids_)[dim];
    const auto local = localIndex(held, globalIndex(part_.runs[dim], at[dim]));
    if (local < 0) {
      return std::nullopt;
    }
    place = place * totalLength(held) + local;
  }
  return element(idValues_.get(), place);
}

std::int64_t PartLookup::tableRow(std::int64_t flat) const {
  if (!view_.origin || part_.local.empty() || !isPlaced_) {
    return -1;
  }
  if (!isPending_) {
    return id(flat).value_or(-1);
  }
  if (view_.origin->local == 0) {
    const auto known = id(flat);
    return known && localIndex(owned_, *known) >= 0 ? *known : globalIndex(owned_, 0);
  }
  const auto row = flat / std::max<std::int64_t>(part_.local.back(), 1);
  const auto local = element(localValues_.get(), row);
  return local ? globalIndex(owned_, *local) : -1;
}

std::int64_t PartLookup::fetchedRow(std::int64_t flat) const {
  if (!view_.fetches || !part_.hasData() || !isPlaced_) {
    return -1;
  }
  const auto known = static_cast<std::int64_t>(part_.element(view_.record->dtype, flat));
  return isPending_ ? globalIndex(owned_, known) : known;
}

std::vector<bool> PartLookup::foreignRows() const {
  std::vector<bool> foreign;
  if (!isPending_ || !part_.hasData() || part_.local.empty() || part_.local.back() == 0) {
    return foreign;
  }
  for (std::int64_t flat = 0; flat < elementCount(part_.local); flat += part_.local.back()) {
    const auto known = id(flat);
    foreign.push_back(known && localIndex(owned_, *known) < 0);
  }
  return foreign;
}

}  // namespace shardlens
