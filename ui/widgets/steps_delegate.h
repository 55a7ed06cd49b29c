#pragma once

#include <QStyledItemDelegate>

class QTreeView;

namespace shardlens {

// Draws a row of the event tree: icon, title, note and time; faint if the event is after the
// position. Title and note share a column, and a note with Tone::Quiet is omitted if both do not
// fit. Events that differ from another recording are marked. Error texts wrap.
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
