#include "ui/widgets/shards_scroll.h"

#include "ui/widgets/shards_canvas.h"

#include <QScrollBar>

namespace shardlens {

ShardsScroll::ShardsScroll(QWidget* parent) : QScrollArea(parent), canvas_(new ShardsCanvas) {
  setWidget(canvas_);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  connect(canvas_, &ShardsCanvas::currentMoved, this, [this] {
    if (const auto cell = canvas_->currentCell()) {
      const QPoint at = cell->center().toPoint();
      ensureVisible(at.x(), at.y());
    }
  });
  connect(canvas_, &ShardsCanvas::scrollRequested, this, &ShardsScroll::scrollTo);
}

void ShardsScroll::scrollTo(QPointF place, QPointF seenAt) {
  const QPoint to = (place - seenAt).toPoint();
  horizontalScrollBar()->setValue(to.x());
  verticalScrollBar()->setValue(to.y());
}

void ShardsScroll::resizeEvent(QResizeEvent* event) {
  canvas_->setRoom(viewport()->size());
  QScrollArea::resizeEvent(event);
}

}  // namespace shardlens
