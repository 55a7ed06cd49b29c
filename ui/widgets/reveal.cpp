#include "ui/widgets/reveal.h"

#include <QTreeView>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kContext = 3;  // rows that stay visible before and after

QModelIndex shifted(const QAbstractItemView& view, QModelIndex row, int by) {
  const auto* tree = qobject_cast<const QTreeView*>(&view);
  for (; by != 0; by += by > 0 ? -1 : 1) {
    const QModelIndex next = tree == nullptr
                                 ? row.sibling(row.row() + (by > 0 ? 1 : -1), row.column())
                             : by > 0 ? tree->indexBelow(row)
                                      : tree->indexAbove(row);
    if (!next.isValid()) break;
    row = next;
  }
  return row;
}

}  // namespace

void reveal(QAbstractItemView& view, const QModelIndex& row) {
  view.scrollTo(row, QAbstractItemView::EnsureVisible);  // opens its parents
  const QRect place = view.visualRect(row);
  const int room = view.viewport()->height();
  const int context = std::min(kContext, (room / std::max(1, place.height()) - 1) / 2);
  if (context <= 0) return;
  const bool isAtEdge = place.top() < place.height() || place.bottom() > room - place.height();
  if (isAtEdge) {
    view.scrollTo(row, QAbstractItemView::PositionAtCenter);
  } else {
    view.scrollTo(shifted(view, row, -context));
    view.scrollTo(shifted(view, row, context));
  }
}

}  // namespace shardlens
