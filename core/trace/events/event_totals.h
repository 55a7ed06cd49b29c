#pragma once

#include "core/model/event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// The fields by which EventTotals groups events. Those below `subkind` are set for collectives
// only.
struct TotalsKey {
  EventKind kind = EventKind::Step;
  Verdict verdict = Verdict::None;
  std::uint8_t subkind = 0;
  std::int8_t meshDim = -1;
  StringId name = 0;
  StringId ranks = 0;
  StringId group = 0;
  StringId detail = 0;

  bool operator==(const TotalsKey&) const = default;
};
TotalsKey totalsKeyOf(const Event& event);
// Returns an event with the fields of the key, for functions that take an event.
Event eventOf(const TotalsKey& key);

// The totals of the events with equal keys.
struct Totals {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t nanoseconds = 0;     // durations of the spans that have ended
  std::int64_t exposed = 0;         // see Event::exposed
  std::uint32_t leastSequence = 0;  // 0: no event has a number
  std::uint32_t greatestSequence = 0;

  void add(const Totals& other);
  bool operator==(const Totals&) const = default;
};

// Finds the implicit redistributions that communicate, while events are appended. Remembers the
// last 2,048 or more events that are inside of an implicit redistribution, which is exact unless
// one redistribution has more.
class ImplicitMoves {
 public:
  // Call it for each event in order. Returns true for the first collective of an implicit
  // redistribution; the innermost one counts.
  bool add(EventId id, const Event& event);

 private:
  struct Inside {
    EventId id;
    EventId redistribution;     // the innermost one around the event, or itself
    bool communicates = false;  // of a redistribution
  };
  Inside* find(EventId id);

  std::vector<Inside> inside_;  // ascending by id
};

// Running totals of consecutive events. Adding an event takes constant time and no allocation,
// unless its key is new.
class EventTotals {
 public:
  // Adds the next event. A running span counts without its duration until end().
  void add(const Event& event);
  // Ends a span that was added while it was running. `event` has its duration and exposed time.
  void end(const Event& event);
  // Counts an implicit redistribution that communicates; see ImplicitMoves.
  void addImplicit() { ++implicit_; }
  // Adds the totals of other events of the same recording.
  void add(const EventTotals& other);

  // Returns the number of events, or that of one kind.
  std::int64_t count() const { return count_; }
  std::int64_t count(EventKind kind) const { return kinds_.at(static_cast<std::size_t>(kind)); }
  std::int64_t running() const { return running_; }  // spans that have not ended
  // Returns the number of implicit redistributions that communicate.
  std::int64_t implicit() const { return implicit_; }
  // The range of Event::step; -1 for events outside of a step. Both -1 without events.
  std::int32_t leastStep() const { return leastStep_; }
  std::int32_t greatestStep() const { return greatestStep_; }
  // The first recorded time and the end of the last event. Both 0 if no times are recorded.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  // Returns the totals by key, in the order in which the keys occurred first.
  const std::vector<std::pair<TotalsKey, Totals>>& all() const { return all_; }

  // As read from a file, for add(): the fields that do not follow from `all`.
  struct Bounds {
    std::int32_t leastStep = -1, greatestStep = -1;
    std::int64_t begin = 0, end = 0, implicit = 0, running = 0;
  };
  EventTotals() = default;
  EventTotals(std::vector<std::pair<TotalsKey, Totals>> all, const Bounds& bounds);

 private:
  struct Hash {
    std::size_t operator()(const TotalsKey& key) const;
  };
  Totals& of(const TotalsKey& key);
  void extend(std::int32_t least, std::int32_t greatest, std::int64_t begin, std::int64_t end);

  std::int64_t count_ = 0;
  std::int64_t running_ = 0;
  std::int64_t implicit_ = 0;
  std::int32_t leastStep_ = -1;
  std::int32_t greatestStep_ = -1;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::array<std::int64_t, kEventKinds> kinds_{};
  std::vector<std::pair<TotalsKey, Totals>> all_;
  std::unordered_map<TotalsKey, std::uint32_t, Hash> places_;  // in all_
  std::array<std::uint32_t, kEventKinds> last_{};  // the place of the last event of each kind
};

}  // namespace shardlens
