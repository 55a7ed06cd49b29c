#pragma once

#include "ui/scenes/timeline_scene.h"

#include <QAbstractScrollArea>

namespace shardlens {

// Draws a timeline: a lane a rank, which scroll, over a stretch of time that is zoomed and panned.
// It shows all of the work until somebody chooses a stretch, and follows the position.
class TimelineCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  // Both must live until others are set; null is none.
  void setTimeline(const Journal* journal, const view::Timeline* timeline);
  void setPosition(EventId position);
  void grow();  // the timeline has more than it had

  const TimelineScene& scene();
  const TimelineWindow& shown() const { return window_; }
  // What a place of the viewport shows; nothing beside the lanes and where there is none.
  std::optional<view::TimelineSpan> spanAt(QPointF place) const;
  std::optional<int> rankAt(QPointF place) const;  // whose lane it is in
  QString words(QPointF place) const;              // of the span there; else empty

  void zoomBy(double times, double x);  // around a place
  void pan(double pixels);
  void showAll();
  void showPosition();
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  void clicked(shardlens::EventId event);
  void shownChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void layOut();
  QSizeF room() const;
  void show(std::int64_t from, std::int64_t length);
  void changed();
  void choose(QPointF place);
  int rankOfLaneAt(double y) const;
  void drawTicks(QPainter& painter) const;

  const Journal* journal_ = nullptr;
  const view::Timeline* timeline_ = nullptr;
  EventId position_ = 0;
  EventId chosen_ = 0;  // by the drag that goes on
  TimelineWindow window_;
  TimelineScene scene_;
  bool isStale_ = true;   // the scene
  bool isMoved_ = false;  // the position in it
  bool showsAll_ = true;
  double dragged_ = 0;  // from where
};

}  // namespace shardlens
