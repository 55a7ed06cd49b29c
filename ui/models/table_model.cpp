#include "ui/models/table_model.h"

#include "core/base/text.h"
#include "ui/models/shared_length.h"
#include "ui/text/format.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardlens {
namespace {

Qt::Alignment aligned(view::Align align) {
  return (align == view::Align::Right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

const view::Cell& cellOf(const view::Row& row, int column) {
  static const view::Cell kEmpty;
  const auto at = static_cast<std::size_t>(column);
  return at < row.cells.size() ? row.cells[at] : kEmpty;
}

// Cells without a number, of a column that has some, come first.
bool isBefore(const view::Cell& one, const view::Cell& other) {
  return one.number || other.number ? one.number < other.number : one.text < other.text;
}

}  // namespace

void TableModel::setTable(view::Table table) {
  if (table == table_) {
    return;
  }
  beginResetModel();
  table_ = std::move(table);
  chooseRows();
  endResetModel();
}

void TableModel::setFilter(RowFilter filter) {
  if (!filter && !filter_) {
    return;
  }
  beginResetModel();
  filter_ = std::move(filter);
  chooseRows();
  endResetModel();
}

int TableModel::placeOf(const std::function<bool(const view::Row&)>& wanted) const {
  const auto found = std::find_if(order_.begin(), order_.end(),
                                  [&](std::size_t row) { return wanted(table_.rows[row]); });
  return found == order_.end() ? -1 : static_cast<int>(found - order_.begin());
}

int TableModel::markedRow() const {
  return placeOf([](const view::Row& row) { return row.marked; });
}

int TableModel::find(const std::vector<view::Cell>& cells) const {
  return placeOf([&cells](const view::Row& row) { return row.cells == cells; });
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

const view::Row& TableModel::rowAt(int row) const {
  return table_.rows[order_[static_cast<std::size_t>(row)]];
}

const view::Cell& TableModel::cellAt(int row, int column) const {
  return cellOf(rowAt(row), column);
}

qsizetype TableModel::shared(int row, int column) const {
  if (!table_.columns[static_cast<std::size_t>(column)].beginsAlike) {
    return 0;
  }
  const std::string& own = cellAt(row, column).text;
  std::ptrdiff_t most = 0;
  for (int other = 0; other < rowCount(); ++other) {
    if (other != row) {
      most = std::max(most, sharedLength(own, cellAt(other, column).text));
    }
  }
  const auto bytes = static_cast<std::size_t>(most);
  return toQString(bytes == own.size() ? own : beginning(own, bytes)).size();
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const view::Row& row = rowAt(index.row());
  const view::Cell& cell = cellAt(index.row(), index.column());
  switch (role) {
    case Qt::DisplayRole:
      return toQString(cell.text);
    case Qt::ToolTipRole:
      return toQString(row.tooltip);
    case Qt::TextAlignmentRole:
      return headerData(index.column(), Qt::Horizontal, role);
    case ToneRole:
      return static_cast<int>(cell.tone);
    case MarkedRole:
      return row.marked;
    case SharedRole:
      return shared(index.row(), index.column());
    case EventRole:
      return row.event;
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
    return {};
  }
  const view::Column& column = table_.columns[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole) {
    return QVariant(aligned(column.align));
  }
  return role == Qt::DisplayRole ? QVariant(toQString(column.title)) : QVariant();
}

void TableModel::chooseRows() {
  order_.resize(table_.rows.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (filter_) {
    std::erase_if(order_, [this](std::size_t row) { return !filter_(table_.rows[row]); });
  }
  sortRows();
}

// Of those that stand in the table's own order.
void TableModel::sortRows() {
  if (sortedBy_ < 0 || sortedBy_ >= columnCount()) {
    return;
  }
  const auto cell = [this](std::size_t row) -> const view::Cell& {
    return cellOf(table_.rows[row], sortedBy_);
  };
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t one, std::size_t other) {
    return direction_ == Qt::AscendingOrder ? isBefore(cell(one), cell(other))
                                            : isBefore(cell(other), cell(one));
  });
}

void TableModel::sort(int column, Qt::SortOrder order) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  sortedBy_ = column;
  direction_ = order;
  const auto before = order_;
  std::sort(order_.begin(), order_.end());
  sortRows();
  const QModelIndexList from = persistentIndexList();
  QModelIndexList to;
  for (const QModelIndex& index : from) {
    const auto now =
        std::find(order_.begin(), order_.end(), before[static_cast<std::size_t>(index.row())]);
    to << this->index(static_cast<int>(now - order_.begin()), index.column());
  }
  changePersistentIndexList(from, to);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

}  // namespace shardlens
