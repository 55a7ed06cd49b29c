#pragma once

#include "core/base/bounded_cache.h"
#include "ui/models/row_filter.h"

#include <QAbstractTableModel>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

// A table of core/view as Qt's views want it: rows are built when a view asks for them. It can be
// sorted: columns of numbers by their numbers, and what else was there first stays first among
// equals. A filter leaves rows out, of this table and of those that follow. Both go over all rows;
// of a long table some at a time, while it shows what it showed before.
class TableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role {
    ToneRole = Qt::UserRole,
    MarkedRole,
    SharedRole,  // how many characters the text begins with like another one of its column
    EventRole,   // the event that explains the row; 0: none
    IconRole,    // the name of the cell's icon; empty: none
  };
  // What rows have to do with one another is looked for so many rows around.
  static constexpr int kNear = 64;

  explicit TableModel(QObject* parent = nullptr);

  void setTable(view::Table table);
  void setFilter(RowFilter filter);
  int allRows() const { return static_cast<int>(table_.rows.size()); }  // also those left out

  // The rows that are shown, as they are now.
  view::Table shown() const;

  // By their place among the rows that are shown; -1: none.
  view::Row rowAt(int row) const { return *built(placeOf(row)); }
  int markedRow() const;
  // The row of these cells, in or near this place of the table.
  int find(const std::vector<view::Cell>& cells, std::size_t near) const;
  std::size_t placeOf(int row) const;  // in the table

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // By no column, -1: as the table has them.
  void sort(int column, Qt::SortOrder order) override;

 private:
  using BuiltRow = std::shared_ptr<const view::Row>;
  struct Chosen {
    std::size_t place;
    view::Cell key;  // to sort by
  };

  BuiltRow built(std::size_t place) const;
  qsizetype shared(int row, int column) const;
  int rowOf(std::size_t place) const;
  void choose();
  bool chooseMore();
  void chooseOn();
  std::vector<std::size_t> chosenOrder();

  view::Table table_;
  RowFilter filter_;
  int sortedBy_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
  std::optional<std::vector<std::size_t>> order_;  // by shown row; none: all, as the table has them
  std::vector<Chosen> chosen_;                     // up to next_, while rows are chosen
  std::size_t next_ = 0;
  QTimer choosing_;
  mutable BoundedCache<std::size_t, BuiltRow> built_{8 * kNear};
};

}  // namespace shardlens
