#pragma once

#include "core/view/timeline/timeline.h"
#include "core/view/words/placement_words.h"

#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

// The visible part of a timeline: an interval of time in nanoseconds, and a range of lanes.
struct TimelineWindow {
  std::int64_t from = 0;
  std::int64_t to = 1;
  std::int64_t firstLane = 0;
  int lanes = 0;
  double laneHeight = 28;
  double width = 1;  // of the interval, in pixels

  double xOf(std::int64_t time) const;
  std::int64_t timeAt(double x) const;
};

// A span of a lane that is long enough to be drawn as a bar.
struct TimelineBar {
  QRectF rect;
  view::SpanKind kind;
  EventId event;
  bool isWaiting;
  bool isLate;
  QRectF room;   // for its text: up to the next bar
  QString text;  // empty if there is no room
};

// A frame around the bars of a collective in adjacent lanes of one group.
struct TimelineFrame {
  QRectF rect;
  EventId event;
  int group;
  QString text;

  QRectF textRoom() const;  // the visible part, without a margin
};

// An event without duration in a lane.
struct TimelineMoment {
  QPointF place;
  view::SpanKind kind;
};

// From the time at which a collective waits for a rank that did not call it, to the right edge.
struct TimelineGap {
  QRectF rect;
  EventId event;
  QString text;
};

// The row of one rank.
struct TimelineLane {
  int rank;
  QRectF rect;  // of its bars; moments are below it
  // x of the position: outside 0..width if it is not in the window, negative without a span.
  double mark;
  std::vector<view::TimelineColumn> columns;  // one per pixel, for spans too short for a bar
  std::vector<TimelineBar> bars;
  std::vector<TimelineMoment> moments;
  std::vector<TimelineGap> gaps;
};

struct TimelineScene {
  std::vector<TimelineLane> lanes;
  std::vector<TimelineFrame> frames;
};

// Lays out the lanes of the window, as far as the timeline has them, and the marks of the position.
TimelineScene layoutTimeline(const Journal& journal, const view::Timeline& timeline,
                             const TimelineWindow& window, EventId position,
                             view::Notation notation = view::Notation::DTensor);
// Moves the marks to another position, without laying out the rest again.
void markPosition(TimelineScene& scene, const view::Timeline& timeline,
                  const TimelineWindow& window, EventId position);

// Returns the innermost span at `x` in a rank's lane, or a moment within 4 pixels; nullopt if none.
std::optional<view::TimelineSpan> spanAt(const view::Timeline& timeline,
                                         const TimelineWindow& window, int rank, double x);

// Returns the distance between ticks, 1, 2 or 5 times a power of ten, so that an interval of
// `length` has at most `most` ticks.
std::int64_t tickInterval(std::int64_t length, int most);

}  // namespace shardlens
