#pragma once

#include "core/view/table.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// A table of core/view as Qt's views want it. It can be sorted: columns of numbers by their
// numbers, and what else was there first stays first among equals.
class TableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role {
    ToneRole = Qt::UserRole,
    MarkedRole,
    SharedRole,  // how many characters the text begins with like another one of its column
    EventRole,   // the event that explains the row; 0: none
  };

  using QAbstractTableModel::QAbstractTableModel;

  void setTable(view::Table table);
  const view::Table& table() const { return table_; }
  int markedRow() const;  // -1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // By no column, -1: as the table has them.
  void sort(int column, Qt::SortOrder order) override;

 private:
  const view::Row& rowAt(int row) const;
  const view::Cell& cellAt(int row, int column) const;
  qsizetype shared(int row, int column) const;
  std::vector<std::size_t> sorted() const;

  view::Table table_;
  std::vector<std::size_t> order_;  // by shown row
  int sortedBy_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

}  // namespace shardlens
