#pragma once

#include "core/trace/snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The mask buffers that there are at a position: who holds them, how often, and whether they live.
class BuffersModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Buffer, Holders, Refcount, State, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  const std::vector<BufferState>& buffers() const { return buffers_; }
  // The row that changed last; -1 when there is none.
  int newestRow() const;
  int live() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<BufferState> buffers_;
};

QString holdersText(const BufferState& buffer);  // "x', y"; "nobody"

}  // namespace shardlens
