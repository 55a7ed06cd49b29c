#pragma once

#include "core/trace/plan_record.h"
#include "core/trace/snapshot.h"

#include <QAbstractTableModel>

namespace shardlens {

// The plan that the newest redistribution of a position follows: the event that made it, which may
// lie far back where the plan cache remembered it. 0 is none.
struct ShownPlan {
  EventId plan = 0;
  EventId redistribution = 0;
};
ShownPlan shownPlan(const Journal& journal, const Snapshot& snapshot);

// Its steps, in order; one may change several mesh dimensions at once.
class PlanModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Move, Axis, Then, Bytes, Time, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  QString title() const { return title_; }      // "x: R → S(0)"
  QString summary() const { return summary_; }  // "about 8.1 µs, took 40 µs"

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PlanStepRecord> steps_;
  QString title_;
  QString summary_;
};

}  // namespace shardlens
