#pragma once

#include "core/trace/snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The steps of the newest redistribution plan of a position, one mesh dimension each.
class PlanModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Axis, Change, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  QString title() const { return title_; }  // "x: R → S(0)"

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Row {
    QString axis, change;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows_;
  QString title_;
};

}  // namespace shardlens
