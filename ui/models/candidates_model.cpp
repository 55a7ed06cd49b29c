#include "ui/models/candidates_model.h"

#include "ui/models/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace shardlens {
namespace {

QString joined(const QJsonValue& value) {
  QStringList parts;
  for (const QJsonValue& part : value.toArray()) {
    parts << part.toString();
  }
  return value.isString() ? value.toString() : parts.join(QStringLiteral(", "));
}

EventId newestCandidates(const Journal& journal, EventId position) {
  while (position > 0 && journal.at(position).kind != EventKind::Candidates) {
    --position;
  }
  return position;
}

}  // namespace

void CandidatesModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const EventId event = newestCandidates(journal, snapshot.position);
  if (event == event_ && journal_ == &journal && !rows_.empty()) {
    return;
  }
  beginResetModel();
  journal_ = &journal;
  event_ = event;
  rows_.clear();
  operator_.clear();
  if (event != 0) {
    const EventId parent = journal.at(event).parent;
    operator_ = parent == 0 ? QString() : toQString(journal.name(journal.at(parent)));
    const auto detail = journal.detail(journal.at(event));
    const auto json =
        QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())));
    for (const QJsonValue& value : json.array()) {
      const QJsonObject candidate = value.toObject();
      rows_.push_back(
          {candidate[QStringLiteral("name")].toString(),
           shortened(joined(candidate[QStringLiteral("inputs")])),
           shortened(joined(candidate[QStringLiteral("outputs")])),
           bytesText(static_cast<std::int64_t>(candidate[QStringLiteral("bytes")].toDouble())),
           QString::number(candidate[QStringLiteral("cost")].toDouble(), 'f', 1),
           candidate[QStringLiteral("chosen")].toBool()});
    }
  }
  endResetModel();
}

QString CandidatesModel::verdict() const {
  for (const Row& row : rows_) {
    if (row.chosen) {
      return QStringLiteral("%1 won").arg(row.name);
    }
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
  if (role == Qt::TextAlignmentRole && index.column() >= Moves) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
    return {};
  }
  switch (index.column()) {
    case Name:
      return row.name;
    case Inputs:
      return row.inputs;
    case Output:
      return row.output;
    case Moves:
      return row.moves;
    default:
      return row.cost;
  }
}

QVariant CandidatesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) {
    return {};
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section >= Moves ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  static const QStringList kNames{QStringLiteral("candidate"), QStringLiteral("inputs"),
                                  QStringLiteral("output"), QStringLiteral("moves"),
                                  QStringLiteral("cost")};
  return kNames[section];
}

}  // namespace shardlens
