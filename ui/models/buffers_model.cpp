#include "ui/models/buffers_model.h"

#include <utility>

namespace shardlens {

void BuffersModel::setSnapshot(const Snapshot& snapshot) {
  const int rows = 1 + static_cast<int>(snapshot.buffers.size());
  const bool isOther = std::exchange(histories_, snapshot.histories) != snapshot.histories;
  if (!isOther && rows == rows_) {
    return;
  }
  beginResetModel();
  rows_ = rows;
  endResetModel();
}

BufferId BuffersModel::bufferAt(int row) const {
  return row == 0 ? 0 : histories_->buffers.idOf(static_cast<std::size_t>(row) - 1);
}

int BuffersModel::rowOf(BufferId buffer) const {
  for (int row = 1; buffer != 0 && row < rows_; ++row) {
    if (bufferAt(row) == buffer) {
      return row;
    }
  }
  return 0;
}

int BuffersModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }

QVariant BuffersModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != BufferRole)) {
    return {};
  }
  const BufferId buffer = bufferAt(index.row());
  if (role == BufferRole) {
    return buffer;
  }
  return buffer == 0 ? tr("follow the event") : QStringLiteral("#%1").arg(buffer);
}

}  // namespace shardlens
