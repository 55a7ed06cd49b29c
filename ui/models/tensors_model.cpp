#include "ui/models/tensors_model.h"

#include "ui/text/format.h"

namespace shardlens {

void TensorsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  std::vector<Row> rows{rows_.front()};
  for (const TensorState& state : snapshot.tensors) {
    const TensorRecord tensor = journal.tensor(state.id);
    if (!tensor.placements.empty()) {
      rows.push_back(
          {state.id, QStringLiteral("%1   %2   %3")
                         .arg(toQString(tensor.name), tensorText(tensor), placedText(tensor))});
    }
  }
  if (rows == rows_) {
    return;
  }
  // Rows are added or taken away at the end, so that what is chosen stays chosen.
  const auto before = static_cast<int>(rows_.size());
  const auto after = static_cast<int>(rows.size());
  if (after < before) {
    beginRemoveRows({}, after, before - 1);
    rows_.resize(rows.size());
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows({}, before, after - 1);
    rows_.insert(rows_.end(), rows.begin() + before, rows.end());
    endInsertRows();
  }
  if (rows_ != rows) {
    rows_ = std::move(rows);
    Q_EMIT dataChanged(index(0), index(rowCount() - 1));
  }
}

int TensorsModel::rowOf(TensorId tensor) const {
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    if (rows_[row].id == tensor) {
      return static_cast<int>(row);
    }
  }
  return 0;
}

int TensorsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant TensorsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  return role == Qt::DisplayRole ? QVariant(row.text)
         : role == TensorRole    ? QVariant(row.id)
                                 : QVariant();
}

}  // namespace shardlens
