#pragma once

#include "core/model/route.h"
#include "core/trace/events/event_totals.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace shardlens {

// The number of events in a full segment: 64 blocks.
inline constexpr EventId kSegmentEvents = 65'536;

// The summary of consecutive events of one recording that do not change any more.
struct Segment {
  EventId first = 0;
  EventTotals totals;
  // A hash of what the events do, in order: kind, verdict, subkind, mesh dimension, name, route and
  // call site, but no times, sizes, ranks and groups. Ranks that run the same program have equal
  // hashes in each segment, also on different machines. The first segment in which they differ
  // contains the first difference.
  std::uint64_t program = 0;

  EventId last() const { return first + static_cast<EventId>(totals.count()) - 1; }
};

// Returns the 64-bit FNV-1a hash, which is the same on all platforms.
std::uint64_t hashOfText(std::string_view text);
// Combines the hashes of consecutive segments.
std::uint64_t combinedProgram(std::uint64_t before, std::uint64_t program);

// Summarises the events of a recording while they are appended. A segment is sealed when it is full
// and its spans have ended. Segments are taken in order. Appending takes constant time. Not thread
// safe.
class OpenSegments {
 public:
  // A text or route must be added before the first event that refers to it.
  void addText(StringId id, std::string_view text);
  void addRoute(RouteId id, const Route& route);
  // Appends the next event.
  void append(EventId id, const Event& event);
  // Ends a span that was appended while it was running. `event` has its duration.
  void end(EventId id, const Event& event);

  // Removes and returns the segments that are sealed now.
  std::vector<Segment> takeSealed();
  // Removes and returns all remaining segments. Call it when no event changes any more.
  std::vector<Segment> takeRest();

 private:
  std::uint64_t hashOf(const Event& event) const;

  std::deque<Segment> open_;
  ImplicitMoves implicit_;
  std::vector<std::uint64_t> texts_{0};  // hashes, by id
  std::vector<std::uint64_t> routes_{0};
};

}  // namespace shardlens
