#include "ui/models/ways_model.h"

#include "ui/models/decisions.h"
#include "ui/text/format.h"

#include <cmath>

namespace shardlens {

void WaysModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const EventId event = planDecision(journal, snapshot).event;
  PlanRecord plan = event == 0 ? PlanRecord() : readPlan(journal.detail(journal.at(event)));
  verdict_ =
      plan.explored
          ? QStringLiteral("%1 explored %2")
                .arg(toQString(plan.planner),
                     countText(*plan.explored, QStringLiteral("state"), QStringLiteral("states")))
          : QString();
  if (!plan.caveat.empty()) {
    verdict_ += (verdict_.isEmpty() ? QString() : QStringLiteral("; ")) +
                QStringLiteral("a cheaper way may exist: ") + toQString(plan.caveat);
  }
  if (plan.ways == ways_) {
    return;
  }
  beginResetModel();
  ways_ = std::move(plan.ways);
  endResetModel();
}

int WaysModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(ways_.size());
}

int WaysModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant WaysModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const PlanWayRecord& way = ways_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case ChosenRole:
      return way.chosen;
    case Qt::ToolTipRole:
      return toQString(way.name) + QStringLiteral(": ") + shortened(toQString(way.steps));
    case Qt::TextAlignmentRole:
      return index.column() == Name ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::DisplayRole:
      break;
    default:
      return {};
  }
  switch (index.column()) {
    case Name:
      return toQString(way.name).replace(QStringLiteral("by way of"), QStringLiteral("via"));
    case Collectives:
      return way.collectives;
    case Bytes:
      return bytesText(std::llround(way.bytes));
    case Time:
      return durationText(std::llround(way.microseconds * 1000));
    default:
      return bytesText(std::llround(way.peak));
  }
}

QVariant WaysModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) {
    return {};
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  static const QStringList kNames{QStringLiteral("way"), QStringLiteral("collectives"),
                                  QStringLiteral("receives"), QStringLiteral("time"),
                                  QStringLiteral("peak")};
  return kNames[section];
}

}  // namespace shardlens
