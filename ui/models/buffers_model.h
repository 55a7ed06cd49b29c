#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The mask buffers that there are at a position, to choose one from: who holds them, how often, and
// whether they live. The first row stands for the one that changed last.
class BuffersModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Buffer, Holders, Refcount, State, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  int buffers() const { return static_cast<int>(buffers_.size()); }
  int live() const;
  // Null where there is none.
  const BufferState* newest() const;
  const BufferState* buffer(int row) const;  // the newest in the first row
  int rowOf(BufferId buffer) const;          // 0 when it is not there

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<BufferState> buffers_;
};

QString holdersText(const BufferState& buffer);  // "x', y"; "nobody"

}  // namespace shardlens
