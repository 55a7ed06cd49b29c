#pragma once

#include "ui/models/row_filter.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// A table of core/view as Qt's views want it. It can be sorted: columns of numbers by their
// numbers, and what else was there first stays first among equals. A filter leaves rows out, of
// this table and of those that follow.
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
  void setFilter(RowFilter filter);
  const view::Table& table() const { return table_; }
  int allRows() const { return static_cast<int>(table_.rows.size()); }  // also those left out

  // By their place among the rows that are shown; -1: none.
  const view::Row& rowAt(int row) const;
  int find(const std::vector<view::Cell>& cells) const;
  int markedRow() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // By no column, -1: as the table has them.
  void sort(int column, Qt::SortOrder order) override;

 private:
  const view::Cell& cellAt(int row, int column) const;
  qsizetype shared(int row, int column) const;
  int placeOf(const std::function<bool(const view::Row&)>& wanted) const;
  void chooseRows();
  void sortRows();

  view::Table table_;
  RowFilter filter_;
  std::vector<std::size_t> order_;  // by shown row
  int sortedBy_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

}  // namespace shardlens
