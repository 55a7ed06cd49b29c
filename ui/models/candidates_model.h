#pragma once

#include "core/trace/snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The strategies that the newest operator of a position could have taken, with what each would
// cost, and the one that won.
class CandidatesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Inputs, Output, Moves, Cost, kColumns };
  enum Role { ChosenRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  EventId event() const { return event_; }  // 0 is none
  QString operatorName() const { return operator_; }
  QString verdict() const;  // "row-wise won"

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name, inputs, output, moves, cost;
    bool chosen = false;
  };
  std::vector<Row> rows_;
  EventId event_ = 0;
  const Journal* journal_ = nullptr;  // only to tell whether event_ is still the same
  QString operator_;
};

}  // namespace shardlens
