#pragma once

#include "core/view/timeline.h"

#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

// What of a timeline is looked at: a stretch of time, and lanes by their number.
struct TimelineWindow {
  std::int64_t from = 0;
  std::int64_t to = 1;
  std::int64_t firstLane = 0;
  int lanes = 0;
  double laneHeight = 28;
  double width = 1;  // of the stretch, in pixels

  double xOf(std::int64_t time) const;
  std::int64_t timeAt(double x) const;
};

struct TimelineBar {
  QRectF rect;
  view::SpanKind kind;
  EventId event;
  bool isWaiting;
  bool isLate;
  QRectF room;   // for its text: up to what covers it
  QString text;  // empty where there is no room for it
};

// A collective over the lanes of a group that stand beside one another.
struct TimelineFrame {
  QRectF rect;
  EventId event;
  int group;
  QString text;
};

struct TimelineMoment {
  QPointF place;
  view::SpanKind kind;
};

struct TimelineLane {
  int rank;
  QRectF rect;  // of its bars; its moments stand below
  double mark;  // where the position is, in pixels; below 0 where the rank has come to nothing
  std::vector<view::TimelineColumn> columns;  // a pixel each: what is too short for a bar
  std::vector<TimelineBar> bars;
  std::vector<TimelineMoment> moments;
};

struct TimelineScene {
  std::vector<TimelineLane> lanes;
  std::vector<TimelineFrame> frames;
};

TimelineScene layoutTimeline(const Journal& journal, const view::Timeline& timeline,
                             const TimelineWindow& window, EventId position);
// All else of a scene stays where the position moves, however much there is.
void markPosition(TimelineScene& scene, const view::Timeline& timeline,
                  const TimelineWindow& window, EventId position);

// The span at a place of a lane: what is innermost, or a moment near it.
std::optional<view::TimelineSpan> spanAt(const view::Timeline& timeline,
                                         const TimelineWindow& window, int rank, double x);

// Where ticks stand: multiples of 1, 2 or 5 times a power of ten, of which `most` fit at most.
std::int64_t tickInterval(std::int64_t length, int most);

}  // namespace shardlens
