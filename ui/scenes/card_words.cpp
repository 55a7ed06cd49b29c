#include "ui/scenes/card_words.h"

#include "core/model/spec.h"
#include "ui/text/format.h"

#include <QStringList>

namespace shardlens {
namespace {

// Returns "rows 3–5" for a vector or matrix, "dim 2: 3–5" for more dimensions.
QString runsAlong(const Runs& runs, std::size_t dim, std::size_t ndim) {
  if (ndim < 3) {
    return runsText(runs, dim == 0 ? QStringLiteral("row") : QStringLiteral("col"));
  }
  return QStringLiteral("dim %1: %2").arg(dim).arg(runsText(runs, {}).section(u' ', 1));
}

}  // namespace

QString ownedText(const TensorView& view, const RankPart& part) {
  const Shape& shape = view.record->shape;
  QStringList notes;
  for (std::size_t dim = 0; view.mesh && dim < view.record->placements.size(); ++dim) {
    const auto* mask = std::get_if<MaskPartial>(&view.record->placements[dim]);
    if (mask != nullptr) {
      Placements cut(view.record->placements.size(), Replicate{});
      cut[dim] = Shard{mask->offsetDim};
      const auto owned = ownedRuns(mask->offsetShape, *view.mesh, cut, part.rank);
      notes << runsText(owned[static_cast<std::size_t>(mask->offsetDim)], QStringLiteral("id"));
    }
  }
  const bool isLookup = !notes.isEmpty();
  for (std::size_t dim = 0; !isLookup && dim < part.runs.size(); ++dim) {
    const bool whole = totalLength(part.runs[dim]) == shape[dim];
    if (!whole && totalLength(part.runs[dim]) > 0) {
      notes << runsAlong(part.runs[dim], dim, shape.size());
    }
  }
  return notes.join(QStringLiteral(", "));
}

QString cardNote(const TensorView& view, const std::vector<std::vector<int>>& groups,
                 const std::vector<int>& ranks) {
  const RankPart& part = view.shown(ranks);
  if (part.where == RankLocation::NotInMesh) {
    return {};
  }
  if (groups.size() > 1) {
    return &ranks == &groups.front() ? QStringLiteral("copies differ")
                                     : differenceText(view, part, view.shown(groups.front()));
  }
  const QString owned = ownedText(view, part);
  return !owned.isEmpty() || ranks.size() == 1
             ? owned
             : countText(static_cast<int>(ranks.size()), {}, QStringLiteral("copies"));
}

QString emptyText(const Journal& journal, const TensorView& view, const RankPart& part) {
  if (part.where == RankLocation::NotInMesh) {
    return QStringLiteral("not in\nthis mesh");
  }
  if (elementCount(part.local) > 0) {
    return part.value != nullptr ? QString()
           : part.where == RankLocation::OtherProcess
               ? QStringLiteral("in another process's\nrecording")
           : isDry(journal) ? QStringLiteral("dry: no data")
                            : QStringLiteral("not captured");
  }
  const Shape& shape = view.record->shape;
  for (std::size_t dim = 0; dim < part.runs.size(); ++dim) {
    if (totalLength(part.runs[dim]) > 0) {
      continue;
    }
    const QString word = shape.size() > 2 ? QStringLiteral("indices of dim %1").arg(dim)
                         : dim == 0       ? QStringLiteral("rows")
                                          : QStringLiteral("cols");
    return shape[dim] == 0
               ? QStringLiteral("empty: there\nare no %1").arg(word)
               : QStringLiteral("empty: the\n%1 end at %2").arg(word).arg(shape[dim] - 1);
  }
  return QStringLiteral("empty");
}

QString figuresText(const RankPart& part, double width) {
  constexpr double kDigit = 5.6;
  const Statistics& known = part.value->statistics;
  const auto number = [](double value) { return QString::number(value, 'g', 3); };
  const QString odd = known.nans == 0 ? QString() : QStringLiteral("%1 NaN").arg(known.nans);
  const QString range = QStringLiteral("%1 to %2").arg(number(known.min), number(known.max));
  const QString mean = QStringLiteral("mean ") + number(known.mean);
  QString shown;
  for (QStringList parts :
       {QStringList{odd}, QStringList{odd, range}, QStringList{odd, range, mean}}) {
    parts.removeAll(QString());
    const QString text = parts.join(QStringLiteral(", "));
    shown = kDigit * static_cast<double>(text.size()) <= width ? text : shown;
  }
  return shown;
}

QString paddingText(std::int64_t rows, std::int64_t columns) {
  QStringList parts;
  parts << (rows > 0 ? countText(rows, QObject::tr("row"), QObject::tr("rows")) : QString())
        << (columns > 0 ? countText(columns, QObject::tr("column"), QObject::tr("columns"))
                        : QString());
  parts.removeAll(QString());
  return QObject::tr("%1 fewer than the largest shard; DTensor pads the shard before sending it")
      .arg(parts.join(QObject::tr(" and ")));
}

QString differenceText(const TensorView& view, const RankPart& part, const RankPart& from) {
  const auto difference = differenceOf(view, part, from);
  if (!difference) {
    const bool isKnown = part.hasData() && from.hasData();
    return part.local != from.local ? QStringLiteral("different shape")
           : isKnown                ? QString()
                                    : QStringLiteral("other values");
  }
  return QStringLiteral("%1: %2, not %3")
      .arg(toQString(toText(globalPlace(part, difference->flat))),
           valueText(view, part, difference->flat), valueText(view, from, difference->flat));
}

Shape globalPlace(const RankPart& part, std::int64_t flat) {
  Shape at = coordinates(part.local, flat);
  for (std::size_t dim = 0; part.runs.size() == at.size() && dim < at.size(); ++dim) {
    at[dim] = globalIndex(part.runs[dim], at[dim]);
  }
  return at;
}

QString valueText(const TensorView& view, const RankPart& part, std::int64_t flat) {
  return toQString(elementText(view.record->dtype, part.value->data->data(), flat));
}

QString gapText(Gap gap) {
  switch (gap) {
    case Gap::None:
      return {};
    case Gap::NoElements:
      return QObject::tr("no elements");
    case Gap::ManyRanks:
      return QObject::tr("not reassembled, because some ranks are not drawn");
    case Gap::LocalIds:
      return QObject::tr("local ids, which are not summed");
    case Gap::ComplexTerms:
      return QObject::tr("partial values of complex numbers are not summed");
    case Gap::Elsewhere:
      return QObject::tr("other parts are in the recordings of other processes");
    case Gap::NotCaptured:
      return QObject::tr("the recording does not contain all values");
    case Gap::UnknownCut:
      return QObject::tr("the placement of the values is unknown");
  }
  return {};
}

}  // namespace shardlens
