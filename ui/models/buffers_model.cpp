#include "ui/models/buffers_model.h"

#include "ui/models/format.h"
#include "ui/scenes/buffer_scene.h"

#include <algorithm>

namespace shardlens {

QString holdersText(const BufferState& buffer) {
  QStringList names;
  for (const std::string& holder : buffer.holders) {
    names << toQString(holder);
  }
  return names.isEmpty() ? QStringLiteral("nobody") : names.join(QStringLiteral(", "));
}

void BuffersModel::setSnapshot(const Journal& /*journal*/, const Snapshot& snapshot) {
  if (snapshot.buffers == buffers_) {
    return;
  }
  beginResetModel();
  buffers_ = snapshot.buffers;
  endResetModel();
}

int BuffersModel::newestRow() const {
  const auto newest =
      std::max_element(buffers_.begin(), buffers_.end(),
                       [](const auto& a, const auto& b) { return a.changed < b.changed; });
  return newest == buffers_.end() ? -1 : static_cast<int>(newest - buffers_.begin());
}

int BuffersModel::live() const {
  return static_cast<int>(std::count_if(buffers_.begin(), buffers_.end(),
                                        [](const auto& buffer) { return buffer.refcount > 0; }));
}

int BuffersModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(buffers_.size());
}

int BuffersModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant BuffersModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || role != Qt::DisplayRole) {
    return {};
  }
  const BufferState& buffer = buffers_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case Buffer:
      return QStringLiteral("#%1").arg(buffer.id);
    case Holders:
      return holdersText(buffer);
    case Refcount:
      return buffer.refcount;
    default:
      return bufferState(buffer);
  }
}

QVariant BuffersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
    return {};
  }
  switch (section) {
    case Buffer:
      return QStringLiteral("buffer");
    case Holders:
      return QStringLiteral("held by");
    case Refcount:
      return QStringLiteral("refcount");
    default:
      return QStringLiteral("state");
  }
}

}  // namespace shardlens
