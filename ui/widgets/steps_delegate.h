#pragma once

#include <QStyledItemDelegate>

class QTreeView;

namespace shardlens {

// Draws a row of the event tree: icon, title, note in its tone, time; faint where it has not
// happened yet. Title and note share a column: a note needs no room where there is none, and a
// quiet one gives way to its title. What differs from another recording has a mark. An error is
// written to its end, on as many lines as it takes.
class StepsDelegate final : public QStyledItemDelegate {
 public:
  explicit StepsDelegate(QTreeView* view);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  static double paintDifference(QPainter& painter, QPointF place, const QModelIndex& index);
  double roomOfTime(const QModelIndex& index) const;
  void paintTitle(QPainter& painter, const QRectF& rect, const QModelIndex& index) const;

  QTreeView* view_;
};

}  // namespace shardlens
