#include "ui/models/candidates_model.h"

#include "core/trace/records/candidates_record.h"
#include "ui/text/format.h"

#include <QStringList>
#include <algorithm>

namespace shardlens {
namespace {

QString joined(const std::vector<std::string>& texts) {
  QStringList parts;
  for (const std::string& text : texts) {
    parts << toQString(text);
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace

void CandidatesModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const EventId before = decision_.event;
  decision_ = strategyDecision(journal, snapshot);
  const EventId event = decision_.event;
  operator_ =
      decision_.subject == 0 ? QString() : toQString(journal.name(journal.at(decision_.subject)));
  if (event == before && journal_ == &journal) {
    return;
  }
  beginResetModel();
  journal_ = &journal;
  rows_.clear();
  leftOut_ = 0;
  if (event != 0) {
    for (const auto& candidate : readCandidates(journal.detail(journal.at(event))).candidates) {
      rows_.push_back({toQString(candidate.name), shortened(joined(candidate.inputs)),
                       shortened(joined(candidate.outputs)), bytesText(candidate.bytes.value_or(0)),
                       QString::number(candidate.cost, 'f', 1), candidate.chosen});
    }
    const int found = journal.at(event).count;
    leftOut_ = found > rowCount() ? found - rowCount() : 0;
  }
  endResetModel();
}

QString CandidatesModel::verdict() const {
  for (const Row& row : rows_) {
    if (!row.chosen) {
      continue;
    }
    const auto named = std::count_if(rows_.begin(), rows_.end(),
                                     [&](const Row& other) { return other.name == row.name; });
    return named == 1 ? QStringLiteral("%1 won").arg(row.name)
                      : QStringLiteral("%1 won: %2 → %3").arg(row.name, row.inputs, row.output);
  }
  return {};
}

int CandidatesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CandidatesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant CandidatesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == ChosenRole) {
    return row.chosen;
  }
  if (role == Qt::TextAlignmentRole && index.column() >= Receives) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    return QStringLiteral("%1: %2 → %3").arg(row.name, row.inputs, row.output);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  switch (index.column()) {
    case Name:
      return row.name;
    case Inputs:
      return row.inputs;
    case Output:
      return row.output;
    case Receives:
      return row.receives;
    default:
      return row.cost;
  }
}

QVariant CandidatesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) {
    return {};
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section >= Receives ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  static const QStringList kNames{QStringLiteral("candidate"), QStringLiteral("inputs"),
                                  QStringLiteral("output"), QStringLiteral("receives"),
                                  QStringLiteral("cost, µs")};
  return kNames[section];
}

}  // namespace shardlens
