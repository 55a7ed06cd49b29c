#pragma once

#include "core/base/bounded_cache.h"
#include "core/view/tables/table.h"

#include <QAbstractTableModel>
#include <QMetaType>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

// The length of the longest prefix that a cell's text shares with a nearby row, and of the suffix
// that it shares with that row.
struct SharedLengths {
  qsizetype start = 0;
  qsizetype end = 0;
};

// Returns true for the rows to show. An empty function shows all rows.
using RowFilter = std::function<bool(const view::Row&)>;
// Returns a filter that accepts rows in which each word occurs in some cell, ignoring case. Returns
// an empty filter if `words` is empty.
RowFilter rowsWith(const QStringList& words);

// A Qt model of a view::Table. Rows are built when a view requests them and cached.
// Sorting is stable; columns with numbers sort by number. A filter hides rows and stays for later
// tables. Both scan all rows. A long table is scanned in slices from the event loop; until the scan
// ends, the model keeps its previous rows.
class TableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role {
    ToneRole = Qt::UserRole,
    MarkedRole,
    SharedRole,  // SharedLengths of the text with a nearby row
    EventRole,   // event that explains the row; 0: none
    IconRole,    // name of the cell's icon; empty: none
    BelowRole,   // second line of the cell; empty: none
  };
  // shared() and find() look at this many rows on either side.
  static constexpr int kNear = 64;

  explicit TableModel(QObject* parent = nullptr);

  // Resets the model, unless the table equals the present one. Keeps the filter and the sorting.
  void setTable(view::Table table);
  void setFilter(RowFilter filter);  // resets the model; an empty filter shows all rows
  // Counts the rows that the filter hides, too.
  int allRows() const { return static_cast<int>(table_.rows.size()); }

  // Returns the shown rows as a table, in their present order.
  view::Table shown() const;

  // Shown rows are numbered as in the view; rowAt() and placeOf() require 0 <= row < rowCount().
  // markedRow() returns -1 if no row is marked or the filter hides it.
  view::Row rowAt(int row) const { return *built(placeOf(row)); }
  int markedRow() const;
  // Returns the shown row with these cells, searching kNear places around `near`, a place in the
  // table; -1 if there is none.
  int find(const std::vector<view::Cell>& cells, std::size_t near) const;
  std::size_t placeOf(int row) const;  // place in the table of a shown row

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // A column of -1 restores the order of the table.
  void sort(int column, Qt::SortOrder order) override;

 private:
  using BuiltRow = std::shared_ptr<const view::Row>;
  struct Chosen {
    std::size_t place;
    view::Cell key;  // sort key
  };

  BuiltRow built(std::size_t place) const;
  SharedLengths shared(int row, int column) const;
  int rowOf(std::size_t place) const;
  void choose();
  bool chooseMore();
  void chooseOn();
  std::vector<std::size_t> chosenOrder();

  view::Table table_;
  RowFilter filter_;
  int sortedBy_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
  // Table places by shown row; nullopt: all rows in table order.
  std::optional<std::vector<std::size_t>> order_;
  std::vector<Chosen> chosen_;  // rows before next_ that the filter accepts, during a scan
  std::size_t next_ = 0;
  QTimer choosing_;
  mutable BoundedCache<std::size_t, BuiltRow> built_{8 * kNear};
};

}  // namespace shardlens

Q_DECLARE_METATYPE(shardlens::SharedLengths)
