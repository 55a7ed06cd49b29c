#include "ui/models/plan_model.h"

#include "ui/text/format.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

QString titleOf(const Journal& journal, EventId id) {
  if (id == 0 || journal.at(id).kind != EventKind::Redistribute) {
    return {};
  }
  const Event& event = journal.at(id);
  const QString name = event.subject == 0
                           ? QString()
                           : toQString(journal.tensor(event.subject).name) + QStringLiteral(": ");
  return name + shortened(toQString(journal.name(event)));
}

// What the collectives of a redistribution took that are over by then.
std::int64_t nanosecondsTaken(const Journal& journal, EventId redistribution, EventId position) {
  std::int64_t sum = 0;
  for (EventId id = redistribution + 1; id <= position; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < redistribution) {
      break;
    }
    sum += event.kind == EventKind::Collective ? std::max<std::int64_t>(event.duration, 0) : 0;
  }
  return sum;
}

QString timeText(double microseconds) { return durationText(std::llround(microseconds * 1000)); }

QString summaryOf(const std::vector<PlanStepRecord>& steps, std::int64_t taken) {
  double sum = 0;
  for (const PlanStepRecord& step : steps) {
    sum += step.microseconds;
  }
  QStringList words;
  if (sum > 0) {
    words << QStringLiteral("about %1").arg(timeText(sum));
  }
  if (taken > 0) {
    words << QStringLiteral("took %1").arg(durationText(taken));
  }
  return words.join(QStringLiteral(", "));
}

QString changeOf(const PlanStepRecord& step) {
  return QStringLiteral("%1 → %2").arg(toQString(step.from), toQString(step.to));
}

// "(R, S(0))" as a table has room for it.
QString bare(const std::string& placements) {
  const QString text = toQString(placements);
  return text.startsWith(u'(') ? text.mid(1, text.size() - 2) : text;
}

}  // namespace

void PlanModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  decision_ = planDecision(journal, snapshot);
  std::vector<PlanStepRecord> steps;
  title_.clear();
  summary_.clear();
  if (decision_.event != 0) {
    steps = readPlan(journal.detail(journal.at(decision_.event))).steps;
    title_ = titleOf(journal, decision_.subject);
    const auto taken =
        title_.isEmpty() ? 0 : nanosecondsTaken(journal, decision_.subject, snapshot.position);
    summary_ = summaryOf(steps, taken);
  }
  if (steps == steps_) {
    return;
  }
  beginResetModel();
  steps_ = std::move(steps);
  endResetModel();
}

int PlanModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const PlanStepRecord& step = steps_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ToolTipRole) {
    return QStringLiteral("%1: %2").arg(toQString(step.axis), changeOf(step));
  }
  if (role == Qt::TextAlignmentRole && index.column() >= Bytes) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  switch (index.column()) {
    case Move:
      return toQString(step.move);
    case Axis:
      return toQString(step.axis);
    case Then:
      return shortened(step.after.empty() ? changeOf(step) : bare(step.after));
    case Bytes:
      return step.move.empty() ? QString() : bytesText(std::llround(step.bytes));
    default:
      return step.microseconds > 0 ? timeText(step.microseconds) : QString();
  }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) {
    return {};
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section >= Bytes ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  static const QStringList kNames{QStringLiteral("move"), QStringLiteral("over"),
                                  QStringLiteral("then"), QStringLiteral("receives"),
                                  QStringLiteral("time")};
  return kNames[section];
}

}  // namespace shardlens
