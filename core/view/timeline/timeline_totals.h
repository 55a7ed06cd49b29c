#pragma once

#include "core/view/timeline/timeline.h"

#include <string>
#include <vector>

namespace shardlens::view {

// An interval of time over a range of lanes, both ends of which are inclusive.
struct TimelineArea {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t firstLane = 0;
  std::int64_t lastLane = 0;
  bool operator==(const TimelineArea&) const = default;
};

// The sum over the spans of an area with one name and kind. Times are cut at the edges of the area
// and summed over its ranks; nested spans count for both names.
struct NameTotal {
  std::string name;
  SpanKind kind = SpanKind::Step;
  bool isImplicit = false;
  std::int64_t events = 0;
  std::int64_t time = 0;
  std::int64_t waiting = 0;
  std::int64_t bytes = 0;  // of all ranks of the events
  EventId longest = 0;     // the event with the longest time on one rank
};

struct RankTotal {
  int rank = 0;
  TimelineColumn sum;
};

struct AreaTotals {
  std::vector<NameTotal> byName;  // the longest time first
  std::vector<RankTotal> byRank;  // ascending
  bool isCut = false;             // spans or ranks beyond the limits are not in the sums
};

// Returns the totals of an area. Reads up to 200,000 spans, each once for ranks that share a track,
// and up to 1024 ranks.
AreaTotals totalsOf(const Journal& journal, const Timeline& timeline, const TimelineArea& area);

}  // namespace shardlens::view
