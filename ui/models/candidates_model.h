#pragma once

#include "ui/models/decisions.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The strategies that an operator could have taken, with what each would cost, and the one that
// won: the current event's operator, or the last one before it that decided. Of an operator that
// found its strategy in the cache, those from which the cache's entry was chosen.
class CandidatesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Inputs, Output, Receives, Cost, kColumns };
  enum Role { ChosenRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  const Decision& decision() const { return decision_; }
  QString operatorName() const { return operator_; }
  QString verdict()
      const;  // "row-wise won"; of several of that name "row-wise won: R, S(0) → S(0)"
  // How many the recording leaves out.
  int leftOut() const { return leftOut_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name, inputs, output, receives, cost;
    bool chosen = false;
  };
  std::vector<Row> rows_;
  Decision decision_;
  const Journal* journal_ = nullptr;  // only to tell whether the decision is still the same
  QString operator_;
  int leftOut_ = 0;
};

}  // namespace shardlens
