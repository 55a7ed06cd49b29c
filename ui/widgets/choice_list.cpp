#include "ui/widgets/choice_list.h"

#include <QAbstractItemDelegate>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace shardlens {

QRect ChoiceList::visualRect(const QModelIndex& index) const {
  return index.isValid()
             ? QRect(0, index.row() * height_ - verticalOffset(), viewport()->width(), height_)
             : QRect();
}

QModelIndex ChoiceList::indexAt(const QPoint& point) const {
  const int y = point.y() + verticalOffset();
  return y < 0 || y / height_ >= rows() ? QModelIndex() : rowAt(y / height_);
}

// The scroll bar counts rows, as in a QListView.
int ChoiceList::verticalOffset() const { return verticalScrollBar()->value() * height_; }

void ChoiceList::scrollTo(const QModelIndex& index, ScrollHint hint) {
  if (!index.isValid()) {
    return;
  }
  QScrollBar* bar = verticalScrollBar();
  const int row = index.row();
  const int last = row - rowsSeen() + 1;  // the first visible row if `row` is the last visible one
  switch (hint) {
    case EnsureVisible:
      return bar->setValue(std::clamp(bar->value(), std::min(last, row), row));
    case PositionAtTop:
      return bar->setValue(row);
    case PositionAtBottom:
      return bar->setValue(last);
    case PositionAtCenter:
      return bar->setValue(row - rowsSeen() / 2);
  }
}

void ChoiceList::doItemsLayout() {
  height_ = std::max(sizeHintForRow(0), 1);
  QAbstractItemView::doItemsLayout();  // QListView's would lay out every row
}

QModelIndex ChoiceList::moveCursor(CursorAction action, Qt::KeyboardModifiers /*modifiers*/) {
  if (rows() == 0) {
    return {};
  }
  const int row = currentIndex().row();
  const auto to = [&](int target) { return rowAt(std::clamp(target, 0, rows() - 1)); };
  switch (action) {
    case MoveUp:
    case MoveLeft:
    case MovePrevious:
      return to(row - 1);
    case MoveDown:
    case MoveRight:
    case MoveNext:
      return to(row + 1);
    case MovePageUp:
      return to(row - rowsSeen());
    case MovePageDown:
      return to(row + rowsSeen());
    case MoveHome:
      return to(0);
    case MoveEnd:
      return to(rows() - 1);
  }
  return {};
}

void ChoiceList::setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) {
  const QModelIndex index = indexAt(rect.center());
  selectionModel()->select(QItemSelection(index, index), command);
}

void ChoiceList::updateGeometries() {
  QAbstractItemView::updateGeometries();
  verticalScrollBar()->setSingleStep(1);
  verticalScrollBar()->setPageStep(rowsSeen());
  verticalScrollBar()->setRange(0, std::max(0, rows() - rowsSeen()));
}

void ChoiceList::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  QStyleOptionViewItem option;
  initViewItemOption(&option);
  const QModelIndex first = indexAt(event->rect().topLeft());
  for (int row = std::max(first.row(), 0); row < rows(); ++row) {
    const QModelIndex index = rowAt(row);
    option.rect = visualRect(index);
    if (option.rect.top() > event->rect().bottom()) {
      break;
    }
    option.state.setFlag(QStyle::State_Selected, selectionModel()->isSelected(index));
    itemDelegateForIndex(index)->paint(&painter, option, index);
  }
}

}  // namespace shardlens
