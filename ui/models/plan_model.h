#pragma once

#include "core/trace/records/plan_record.h"
#include "ui/models/decisions.h"

#include <QAbstractTableModel>

namespace shardlens {

// The steps of the plan that the current event's redistribution follows, or the last one before it;
// one may change several mesh dimensions at once. The plan may have been made far back, where the
// plan cache remembered it.
class PlanModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Move, Axis, Then, Bytes, Time, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  const Decision& decision() const { return decision_; }
  QString title() const { return title_; }      // "x: R → S(0)"
  QString summary() const { return summary_; }  // "about 8.1 µs, took 40 µs"

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Decision decision_;
  std::vector<PlanStepRecord> steps_;
  QString title_;
  QString summary_;
};

}  // namespace shardlens
