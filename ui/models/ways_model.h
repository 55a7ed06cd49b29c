#pragma once

#include "core/trace/records/plan_record.h"
#include "core/trace/snapshot/snapshot.h"

#include <QAbstractTableModel>

namespace shardlens {

// The ways that the redistribution whose plan is shown could have taken, side by side, and the one
// it took. Nothing where the recording does not say.
class WaysModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Collectives, Bytes, Time, Peak, kColumns };
  enum Role { ChosenRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  QString verdict() const { return verdict_; }  // "min-cost explored 14 states"

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PlanWayRecord> ways_;
  QString verdict_;
};

}  // namespace shardlens
