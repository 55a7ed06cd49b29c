#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <QAbstractListModel>
#include <vector>

namespace shardlens {

// The tensors that there are at a position, masks left out, to choose one from. The first row
// stands for the one that the current event is about. There may be millions: what a row says is
// made when it is seen.
class TensorsModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { TensorRole = Qt::UserRole };

  using QAbstractListModel::QAbstractListModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  int rowOf(TensorId tensor) const;  // 0 when it is not there

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  TensorId tensorAt(int row) const;
  std::size_t masksBefore(std::size_t place) const;
  void showRows(int rows);

  const Journal* journal_ = nullptr;
  std::shared_ptr<const Histories> histories_;
  std::size_t known_ = 0;           // so many tensors have been looked at
  std::vector<std::size_t> masks_;  // the places of the masks among them
  int rows_ = 1;                    // that are shown
};

}  // namespace shardlens
