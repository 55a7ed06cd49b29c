#pragma once

#include "core/view/timeline/timeline.h"

#include <cstdint>

namespace shardlens {

// The visible part of a timeline: an interval of time in nanoseconds, and a range of rows.
struct TimelineWindow {
  std::int64_t from = 0;
  std::int64_t to = 1;
  std::int64_t firstRow = 0;
  int rows = 0;
  double rowHeight = 28;
  double width = 1;  // of the interval, in pixels

  double xOf(std::int64_t time) const;
  std::int64_t timeAt(double x) const;
  std::int64_t length() const { return to - from; }

  // Show all work; an interval, which is clamped to at least a nanosecond and at most slightly more
  // than the whole timeline; an interval longer or shorter by a factor, with the time at `part` of
  // the width in place; and an interval later by a number of pixels.
  void showAll(const view::Timeline& timeline);
  void show(const view::Timeline& timeline, std::int64_t first, std::int64_t length);
  void zoomBy(const view::Timeline& timeline, double times, double part);
  void pan(const view::Timeline& timeline, double pixels);
};

// Returns the distance between ticks, 1, 2 or 5 times a power of ten, so that an interval of
// `length` has at most `most` ticks.
std::int64_t tickInterval(std::int64_t length, int most);

}  // namespace shardlens
