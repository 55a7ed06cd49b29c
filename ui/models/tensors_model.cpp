#include "ui/models/tensors_model.h"

#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {

void TensorsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  if (journal_ != &journal || histories_ != snapshot.histories) {
    beginResetModel();
    journal_ = &journal;
    histories_ = snapshot.histories;
    known_ = 0;
    masks_.clear();
    rows_ = 1;
    endResetModel();
  }
  const std::size_t tensors = snapshot.tensors.size();
  for (; known_ < tensors; ++known_) {
    if (journal.tensor(histories_->tensors.idOf(known_)).placements.empty()) {
      masks_.push_back(known_);
    }
  }
  showRows(1 + static_cast<int>(tensors - masksBefore(tensors)));
}

std::size_t TensorsModel::masksBefore(std::size_t place) const {
  const auto end = std::lower_bound(masks_.begin(), masks_.end(), place);
  return static_cast<std::size_t>(end - masks_.begin());
}

// Its place is its row's, and one further for each mask that stands before it.
TensorId TensorsModel::tensorAt(int row) const {
  std::size_t place = static_cast<std::size_t>(row) - 1;
  std::size_t masks = 0;
  for (std::size_t all = masks_.size(); masks < all;) {
    const std::size_t middle = (masks + all) / 2;
    masks_[middle] - middle <= place ? masks = middle + 1 : all = middle;
  }
  return histories_->tensors.idOf(place + masks);
}

// They are added and taken away at the end, so that what is chosen stays chosen.
void TensorsModel::showRows(int rows) {
  if (rows < rows_) {
    beginRemoveRows({}, rows, rows_ - 1);
    rows_ = rows;
    endRemoveRows();
  } else if (rows > rows_) {
    beginInsertRows({}, rows_, rows - 1);
    rows_ = rows;
    endInsertRows();
  }
}

int TensorsModel::rowOf(TensorId tensor) const {
  for (int row = 1; tensor != 0 && row < rows_; ++row) {
    if (tensorAt(row) == tensor) {
      return row;
    }
  }
  return 0;
}

int TensorsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }

QVariant TensorsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != TensorRole)) {
    return {};
  }
  if (index.row() == 0) {
    return role == TensorRole ? QVariant(TensorId{0}) : QVariant(tr("follow the event"));
  }
  const TensorId id = tensorAt(index.row());
  if (role == TensorRole) {
    return id;
  }
  const TensorRecord tensor = journal_->tensor(id);
  return QStringLiteral("%1   %2   %3")
      .arg(toQString(tensor.name), tensorText(tensor), placedText(tensor));
}

}  // namespace shardlens
