#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <QAbstractListModel>

namespace shardlens {

// The mask buffers that there are at a position, to choose one from. The first row stands for the
// one that changed last.
class BuffersModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { BufferRole = Qt::UserRole };

  using QAbstractListModel::QAbstractListModel;

  void setSnapshot(const Snapshot& snapshot);
  int rowOf(BufferId buffer) const;  // 0 when it is not there

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  BufferId bufferAt(int row) const;

  std::shared_ptr<const Histories> histories_;
  int rows_ = 1;
};

}  // namespace shardlens
