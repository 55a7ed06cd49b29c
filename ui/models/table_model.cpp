#include "ui/models/table_model.h"

#include "core/base/text.h"
#include "ui/models/shared_length.h"
#include "ui/text/format.h"

#include <algorithm>
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

constexpr std::size_t kRowsAtATime = 512;  // rows per slice, a few milliseconds

// In ascending order, cells without a number come before cells with one.
bool isBefore(const view::Cell& one, const view::Cell& other) {
  return one.number || other.number ? one.number < other.number : one.text < other.text;
}

}  // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {
  connect(&choosing_, &QTimer::timeout, this, &TableModel::chooseOn);
}

void TableModel::setTable(view::Table table) {
  if (table == table_) {
    return;
  }
  beginResetModel();
  table_ = std::move(table);
  built_.clear();
  choose();
  endResetModel();
}

void TableModel::setFilter(RowFilter filter) {
  if (!filter && !filter_) {
    return;
  }
  beginResetModel();
  filter_ = std::move(filter);
  choose();
  endResetModel();
}

TableModel::BuiltRow TableModel::built(std::size_t place) const {
  if (const auto known = built_.find(place)) {
    return known->value;
  }
  auto row = std::make_shared<const view::Row>(table_.rows[place]);
  built_.insert(place, row);
  return row;
}

view::Table TableModel::shown() const {
  if (!order_) {
    return table_;
  }
  return {table_.columns, view::Rows({.size = order_->size(),
                                      .at = [rows = table_.rows, order = *order_](std::size_t row) {
                                        return rows[order[row]];
                                      }})};
}

std::size_t TableModel::placeOf(int row) const {
  const auto shown = static_cast<std::size_t>(row);
  return order_ ? (*order_)[shown] : shown;
}

int TableModel::rowOf(std::size_t place) const {
  if (!order_) {
    return place < table_.rows.size() ? static_cast<int>(place) : -1;
  }
  const auto found = std::find(order_->begin(), order_->end(), place);
  return found == order_->end() ? -1 : static_cast<int>(found - order_->begin());
}

int TableModel::markedRow() const {
  const auto marked = table_.rows.marked();
  return marked ? rowOf(*marked) : -1;
}

int TableModel::find(const std::vector<view::Cell>& cells, std::size_t near) const {
  const std::size_t first = near - std::min<std::size_t>(near, kNear);
  const std::size_t end = std::min(table_.rows.size(), near + kNear + 1);
  for (std::size_t place = first; place < end; ++place) {
    const int row = built(place)->cells == cells ? rowOf(place) : -1;
    if (row >= 0) {
      return row;
    }
  }
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_ ? order_->size() : table_.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

SharedLengths TableModel::shared(int row, int column) const {
  if (!table_.columns[static_cast<std::size_t>(column)].beginsAlike) {
    return {};
  }
  const BuiltRow own = built(placeOf(row));
  const std::string& text = cellOf(*own, column).text;
  std::ptrdiff_t start = 0;
  std::ptrdiff_t end = 0;
  const int last = std::min(rowCount(), row + kNear + 1);
  for (int other = std::max(0, row - kNear); other < last; ++other) {
    if (other == row) continue;
    const BuiltRow neighbour = built(placeOf(other));
    const std::string& beside = cellOf(*neighbour, column).text;
    const auto first = sharedLength(text, beside);
    if (first == 0 || first < start) continue;
    const auto rest = sharedEnd(text, beside, first);
    end = first > start ? rest : std::max(end, rest);
    start = first;
  }
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  const QString whole = toQString(text);
  // Excludes a character of which only the last bytes are shared.
  const auto isInside = [&](std::ptrdiff_t at) {
    return (static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && isInside(size - end)) --end;
  const auto lengthOf = [&](std::ptrdiff_t bytes) {
    return bytes == size ? whole.size()
                         : toQString(beginning(text, static_cast<std::size_t>(bytes))).size();
  };
  return {lengthOf(start), end == 0 ? 0 : whole.size() - lengthOf(size - end)};
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const BuiltRow built = this->built(placeOf(index.row()));
  const view::Row& row = *built;
  const view::Cell& cell = cellOf(row, index.column());
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
      return QVariant::fromValue(shared(index.row(), index.column()));
    case EventRole:
      return row.event;
    case IconRole:
      return toQString(cell.icon);
    case BelowRole:
      return toQString(cell.below);
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

// Recomputes order_ after a change of table, filter or sorting. If the scan does not finish at
// once, keeps the old order and continues by timer.
void TableModel::choose() {
  choosing_.stop();
  chosen_.clear();
  next_ = 0;
  if (!filter_ && sortedBy_ < 0) {
    order_.reset();
  } else if (chooseMore()) {
    order_ = chosenOrder();
  } else {
    if (order_) {
      std::erase_if(*order_, [this](std::size_t place) { return place >= table_.rows.size(); });
    }
    choosing_.start(0);
  }
}

void TableModel::chooseOn() {
  if (!chooseMore()) {
    return;
  }
  choosing_.stop();
  beginResetModel();
  order_ = chosenOrder();
  endResetModel();
}

// Scans the next kRowsAtATime rows. Returns false if rows are left.
bool TableModel::chooseMore() {
  const std::size_t end = std::min(table_.rows.size(), next_ + kRowsAtATime);
  for (; next_ < end; ++next_) {
    const view::Row row = table_.rows[next_];
    if (!filter_ || filter_(row)) {
      chosen_.push_back({next_, cellOf(row, sortedBy_)});
    }
  }
  return next_ == table_.rows.size();
}

std::vector<std::size_t> TableModel::chosenOrder() {
  if (sortedBy_ >= 0 && sortedBy_ < columnCount()) {
    std::stable_sort(chosen_.begin(), chosen_.end(),
                     [this](const Chosen& one, const Chosen& other) {
                       return direction_ == Qt::AscendingOrder ? isBefore(one.key, other.key)
                                                               : isBefore(other.key, one.key);
                     });
  }
  std::vector<std::size_t> order;
  for (const Chosen& row : chosen_) {
    order.push_back(row.place);
  }
  chosen_.clear();
  return order;
}

void TableModel::sort(int column, Qt::SortOrder order) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList from = persistentIndexList();
  std::vector<std::size_t> places;
  for (const QModelIndex& index : from) {
    places.push_back(placeOf(index.row()));
  }
  sortedBy_ = column;
  direction_ = order;
  choose();
  QModelIndexList to;
  for (qsizetype i = 0; i < from.size(); ++i) {
    to << index(rowOf(places[static_cast<std::size_t>(i)]), from[i].column());
  }
  changePersistentIndexList(from, to);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

RowFilter rowsWith(const QStringList& words) {
  if (words.isEmpty()) {
    return {};
  }
  return [words](const view::Row& row) {
    QStringList cells;
    for (const view::Cell& cell : row.cells) {
      cells << toQString(cell.text) << toQString(cell.below);
    }
    return std::all_of(words.begin(), words.end(), [&cells](const QString& word) {
      return std::any_of(cells.begin(), cells.end(), [&word](const QString& cell) {
        return cell.contains(word, Qt::CaseInsensitive);
      });
    });
  };
}

}  // namespace shardlens
