#pragma once

#include "core/view/timeline/timeline_totals.h"
#include "ui/scenes/timeline_scene.h"

#include <QAbstractScrollArea>
#include <QTimer>
#include <functional>

namespace shardlens {

// Draws a timeline: a row per rank, or per ranks with identical activity, scrolled vertically, over
// an interval of time that can be zoomed and panned. It shows all work until an interval is chosen,
// and then follows the position. An area of times and ranks can be selected: by dragging along the
// time scale or with Shift, or by [ and ], which begin and end it at the position.
class TimelineCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  // Both must live until others are set, or both be null. Resets the position to 0 and the interval
  // to all work, also for the same arguments, and emits shownChanged().
  void setTimeline(const Journal* journal, const view::Timeline* timeline);
  void setPosition(EventId position);
  void setMatches(const std::vector<EventId>& events);  // marked above the lanes
  // Returns the distinct visible x of the matches, ascending, from the left edge of the lanes.
  std::vector<double> matchPlaces() const;
  void grow();  // to be called when the timeline has grown

  const TimelineScene& scene();  // lays out the scene if needed
  // True while spans are read for the next layout, in slices from the event loop. Until then, the
  // last layout is drawn. The timeline should not change meanwhile, because reading starts again.
  bool isReading() const { return reading_.isActive(); }
  const TimelineWindow& shown() const { return window_; }
  const view::TimelineRows& rows() const { return rows_; }
  // The selected area, if there is one. clearArea() does nothing without one.
  const std::optional<view::TimelineArea>& area() const { return area_; }
  void setArea(const view::TimelineArea& area);  // its ends may be in any order
  void clearArea();
  void toggleRow(std::int64_t row);  // folds or unfolds similar ranks
  // Returns the row at a point of the viewport, or nullopt, and the time there.
  std::optional<std::int64_t> rowAt(QPointF place) const;
  std::int64_t timeAt(QPointF place) const;
  // Begin or end the area at a time, over the lanes of the area or else all of them.
  void beginArea(std::int64_t time);
  void endArea(std::int64_t time);
  // Returns the span at a point of the viewport, or nullopt.
  std::optional<view::TimelineSpan> spanAt(QPointF place) const;
  std::optional<int> rankAt(QPointF place) const;  // the rank of the lane there
  // Describes the group of collectives and the span there, or at the left the ranks of a folded
  // row. Empty if there is none.
  QString words(QPointF place);

  // Zooms in by a factor (out if it is below 1) around `x`, in unzoomed pixels of the viewport.
  // zoomBy(), pan() and showPosition() do nothing without a timeline.
  void zoomBy(double times, double x);
  void pan(double pixels);  // positive: to later times
  void showAll();           // requires a timeline
  // Centres the position. Does nothing if the first lane has no event up to it.
  void showPosition();
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  void clicked(shardlens::EventId event);  // also while dragging, for each new event
  void shownChanged();                     // the interval, the lanes or the timeline changed
  void areaChanged();

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
  // Reads spans for the layout while `mayGoOn` returns true. Returns true if enough are read, which
  // is all, or as many as the timeline can cache.
  bool read(const std::function<bool()>& mayGoOn);
  void readSlice();
  QSizeF room() const;
  void changed();
  void choose(QPointF place);
  void select(QPointF place);
  std::int64_t clampedRow(double y) const;
  std::int64_t clampedTime(double x) const;
  int rankOfLaneAt(double y) const;
  std::optional<view::TimelineSpan> atPosition() const;  // in the first row
  // Scrolls to a rank of the current event, or to one at fault in it, unless one is visible. Called
  // when the position has not moved for a while, because the rows that come into view are laid out.
  void showRanks();
  std::vector<int> ranksOf(const view::TimelineRow& row) const;
  QString labelOf(const TimelineLane& lane) const;

  const Journal* journal_ = nullptr;
  const view::Timeline* timeline_ = nullptr;
  EventId position_ = 0;
  std::vector<EventId> matches_;
  EventId chosen_ = 0;  // by the drag in progress; 0: no drag
  view::TimelineRows rows_;
  TimelineWindow window_;
  std::optional<view::TimelineArea> area_;
  std::optional<QPointF> selectedFrom_;  // where the drag that selects an area began
  TimelineScene scene_;
  bool isStale_ = true;   // scene_ must be laid out
  bool isMoved_ = false;  // the marks in scene_ must be moved
  bool showsAll_ = true;
  double dragged_ = 0;  // x of the last drag event
  QTimer follow_;       // until showRanks()
  QTimer reading_;      // between slices
  int leavesRead_ = 0;  // for the next layout
};

}  // namespace shardlens
