#pragma once

#include <QStyledItemDelegate>

namespace shardlens {

// Draws a row of the event tree: icon, title, note in its tone, time; faint where it has not
// happened yet, and a bar at the edge of the current one.
class StepsDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace shardlens
