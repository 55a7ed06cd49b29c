#include "ui/models/buffers_model.h"

#include "ui/text/format.h"

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

const BufferState* BuffersModel::newest() const {
  const auto newest =
      std::max_element(buffers_.begin(), buffers_.end(),
                       [](const auto& a, const auto& b) { return a.changed < b.changed; });
  return newest == buffers_.end() ? nullptr : &*newest;
}

const BufferState* BuffersModel::buffer(int row) const {
  const auto at = static_cast<std::size_t>(row) - 1;
  return row == 0 ? newest() : at < buffers_.size() ? &buffers_[at] : nullptr;
}

int BuffersModel::rowOf(BufferId buffer) const {
  const auto found = std::find_if(buffers_.begin(), buffers_.end(),
                                  [buffer](const auto& each) { return each.id == buffer; });
  return found == buffers_.end() ? 0 : static_cast<int>(found - buffers_.begin()) + 1;
}

int BuffersModel::live() const {
  return static_cast<int>(std::count_if(buffers_.begin(), buffers_.end(),
                                        [](const auto& buffer) { return buffer.refcount > 0; }));
}

int BuffersModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : buffers() + 1;
}

int BuffersModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant BuffersModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || role != Qt::DisplayRole) {
    return {};
  }
  if (index.row() == 0) {
    return index.column() == Buffer ? QStringLiteral("follow the event") : QString();
  }
  const BufferState& buffer = *this->buffer(index.row());
  switch (index.column()) {
    case Buffer:
      return QStringLiteral("#%1").arg(buffer.id);
    case Holders:
      return holdersText(buffer);
    case Refcount:
      return buffer.refcount;
    default:
      return buffer.refcount > 0 ? QStringLiteral("live") : QStringLiteral("released");
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
