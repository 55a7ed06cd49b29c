#include "ui/models/plan_model.h"

#include "ui/models/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace shardlens {

void PlanModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  std::vector<Row> rows;
  EventId plan = snapshot.position;
  while (plan > 0 && journal.at(plan).kind != EventKind::Plan) {
    --plan;
  }
  title_.clear();
  if (plan != 0) {
    const Event& event = journal.at(plan);
    if (event.parent != 0 && journal.at(event.parent).kind == EventKind::Redistribute) {
      const Event& redistribute = journal.at(event.parent);
      const QString name =
          redistribute.subject == 0
              ? QString()
              : toQString(journal.tensor(redistribute.subject).name) + QStringLiteral(": ");
      title_ = name + shortened(toQString(journal.name(redistribute)));
    }
    const auto detail = journal.detail(event);
    const auto json =
        QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())));
    for (const QJsonValue& value : json.array()) {
      const QJsonObject step = value.toObject();
      rows.push_back({step[QStringLiteral("axis")].toString(),
                      QStringLiteral("%1 → %2").arg(step[QStringLiteral("from")].toString(),
                                                    step[QStringLiteral("to")].toString())});
    }
  }
  if (rows == rows_) {
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int PlanModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
    return {};
  }
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  return index.column() == Axis ? row.axis : row.change;
}

}  // namespace shardlens
