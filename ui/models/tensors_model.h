#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <QAbstractListModel>
#include <vector>

namespace shardlens {

// The tensors that there are at a position, masks left out, to choose one from. The first row
// stands for the one that the current event is about.
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
  struct Row {
    TensorId id = 0;
    QString text;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows_{{0, QStringLiteral("follow the event")}};
};

}  // namespace shardlens
