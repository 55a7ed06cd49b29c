#pragma once

#include "core/view/timeline/timeline_rows.h"
#include "core/view/words/placement_words.h"
#include "ui/scenes/timeline_window.h"

#include <QRectF>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

namespace shardlens {

// A span of a lane that is long enough to be drawn as a bar.
struct TimelineBar {
  QRectF rect;
  view::SpanKind kind;
  EventId event;
  bool isWaiting;
  bool isLate;
  bool isImplicit;     // an implicit redistribution that communicates, or a collective of one
  QRectF room;         // for its text: up to the next bar
  QString text;        // empty if there is no room
  QString brief = {};  // the text for narrow bars, if the other does not fit
};

// A frame around the bars of a collective in adjacent lanes of one group.
struct TimelineFrame {
  QRectF rect;
  EventId event;
  int group;
  bool isImplicit;
  bool isWaiting;  // ranks wait in it for one that did not call it
  QString text;
  QRectF room = {};    // for its text: between the sides of other frames
  QString brief = {};  // the text for narrow frames, if the other does not fit

  QRectF textRoom() const;  // the visible part, without a margin
};

// An event without duration in a lane.
struct TimelineMoment {
  QPointF place;
  view::SpanKind kind;
};

// Neighbouring collectives of a lane that are too narrow for their names, with their number; or one
// such collective, whose abbreviation is beside it.
struct TimelineGroup {
  QRectF rect;
  std::int64_t from = 0, to = 0;  // times
  std::uint32_t calls = 0;
  std::uint32_t kinds = 0;  // bit mask of CollectiveKind
  bool isImplicit = false;  // some are of implicit redistributions
  QString text;             // empty if there is no room
  QRectF room;              // for the text
};

// From the time at which a collective waits for a rank that did not call it, or at which a rank
// ended early, to the right edge.
struct TimelineGap {
  QRectF rect;
  EventId event;  // the collective that the rank did not call
  QString text;   // empty if there is no room
  QString words;  // the tooltip
};

// The event at which the ranks of a lane part from the remaining ranks of their role.
struct TimelineDivergence {
  QRectF rect;       // around the event
  QString text;      // empty if there is no room
  QRectF room = {};  // for the text
};

// An arrow between two lanes.
struct TimelineFlow {
  enum class Kind {
    Message,  // from a send to its recv
    Wait,     // from the rank that arrived last at a collective to one that waited for it
    Missing,  // likewise, from a rank that did not arrive
  };
  QPointF from, to;
  Kind kind;
  EventId event;  // of the waiting or receiving rank
};

// The row of one rank, or of several ranks with identical activity.
struct TimelineLane {
  int rank;  // the first one
  view::TimelineRow row;
  QRectF rect;  // of its bars; moments are below it
  // x of the position: outside 0..width if it is not in the window, negative without a span.
  double mark;
  std::vector<view::TimelineColumn> columns;  // one per pixel, for spans too short for a bar
  std::vector<TimelineBar> bars;
  std::vector<TimelineMoment> moments;
  std::vector<TimelineGap> gaps;
  std::optional<TimelineDivergence> divergence;
  std::vector<TimelineGroup> groups;
};

struct TimelineScene {
  std::vector<TimelineLane> lanes;
  std::vector<TimelineFrame> frames;
  std::vector<TimelineFlow> flows;
  std::vector<double> exposed;  // see exposedShares()
};

// Reads the spans that layoutTimeline() needs into the cache of the timeline. Calls `mayRead`
// before each leaf of some 32 spans, and returns false as soon as that returns false.
bool prepareTimeline(const view::Timeline& timeline, const view::TimelineRows& rows,
                     const TimelineWindow& window, const std::function<bool()>& mayRead);
// Lays out the rows of the window, as far as the timeline has them, and the marks of the position.
TimelineScene layoutTimeline(const Journal& journal, const view::Timeline& timeline,
                             const view::TimelineRows& rows, const TimelineWindow& window,
                             EventId position, view::Notation notation = view::Notation::DTensor);
// Moves the marks to another position, without laying out the rest again.
void markPosition(TimelineScene& scene, const view::Timeline& timeline,
                  const TimelineWindow& window, EventId position);

// Returns the innermost span at `x` in a rank's lane, or a moment within 4 pixels; nullopt if none.
std::optional<view::TimelineSpan> spanAt(const view::Timeline& timeline,
                                         const TimelineWindow& window, int rank, double x);

}  // namespace shardlens
