#pragma once

#include "core/model/event.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace shardlens::view {

// The kind of a span. Kinds from Hit on are moments without duration.
enum class SpanKind : std::uint8_t {
  Step,
  Operator,  // or Redistribute
  Compute,
  Collective,
  Hit,
  Miss,
  Mask,
  Error,
};
constexpr bool isMoment(SpanKind kind) { return kind >= SpanKind::Hit; }

// The time of one event on one rank.
struct TimelineSpan {
  EventId event = 0;
  SpanKind kind = SpanKind::Step;
  int axis = 0;  // of a collective: index in TimelineColumn::collectives
  CollectiveKind call = CollectiveKind::Other;  // of a collective
  std::int64_t begin = 0;                       // nanoseconds
  std::int64_t end = 0;                         // kForever while running
  // Of a collective: for how long its rank is blocked until the last member of the group starts,
  // and when that begins. 0 if the clocks are not exact enough to tell.
  std::int64_t wait = 0;
  std::int64_t waitBegin = 0;
  std::int64_t late = 0;  // of the last member to start: time since the first one
  // Of a collective: for how long after its start the program continued, because it was blocked at
  // the end only. The remaining time is exposed.
  std::int64_t overlapped = 0;
  bool isImplicit = false;  // a collective of an implicit redistribution
  bool isWhole = true;      // of a collective: all hosted members of its group have called it
  bool operator==(const TimelineSpan&) const = default;

  static constexpr std::int64_t kForever = std::int64_t{1} << 62;
};

// Sums over an interval: nanoseconds per kind. Nested spans count for both kinds, and spans of one
// kind at the same time count each.
struct TimelineColumn {
  static constexpr int kAxes = 4;  // mesh dimensions 0 to 2; the last is for all other collectives

  std::int64_t steps = 0;
  std::int64_t operators = 0;
  std::int64_t compute = 0;
  std::int64_t waiting = 0;
  std::array<std::int64_t, kAxes> collectives = {};
  std::int64_t implicit = 0;  // in collectives of implicit redistributions, with the waiting
  std::int64_t exposed = 0;   // in collectives while the program was blocked, with the waiting
  std::uint16_t moments = 0;  // bit mask of the kinds of moments in it
  // Of the collectives that start in the interval: bit mask of their CollectiveKind, and number.
  std::uint16_t callKinds = 0;
  std::uint32_t calls = 0;

  void add(const TimelineColumn& other);
  bool has(SpanKind moment) const { return (moments >> static_cast<int>(moment) & 1U) != 0; }
  bool has(CollectiveKind call) const { return (callKinds >> static_cast<int>(call) & 1U) != 0; }
  bool operator==(const TimelineColumn&) const = default;
};

// A time range [from, to) divided into columns of equal length.
class TimelineGrid {
 public:
  // Requires from < to and columns > 0.
  TimelineGrid(std::int64_t from, std::int64_t to, int columns)
      : from_(from), to_(to), columns_(columns) {}
  std::int64_t from() const { return from_; }
  std::int64_t to() const { return to_; }
  int columns() const { return columns_; }
  int columnOf(std::int64_t time) const;  // column of a time; clamped
  // Adds the span's time in each column to `into`, which must have columns() elements.
  void put(const TimelineSpan& span, std::vector<TimelineColumn>& into) const;

 private:
  // Calls amount(column) for a reference and adds the overlap with each column.
  template <class Amount>
  void share(std::int64_t begin, std::int64_t end, const Amount& amount) const;
  std::int64_t edge(int column) const;  // start of a column

  std::int64_t from_;
  std::int64_t to_;
  int columns_;
};

class SpanCache;

// The spans of one track in event order, with a tree of sums. Queries cost as much as their result,
// not as the number of spans. Spans are not stored; the leaves reread them by the callback.
//
// A cache stores the spans of full leaves without running spans. If the clocks of several machines
// are estimated, cached spans and the sums keep the times of the estimate by which they were read.
class TimelineTrack {
 public:
  using Read = std::function<std::optional<TimelineSpan>(EventId)>;
  using Next = std::function<EventId(EventId)>;
  // `read` returns the span of an event on this track, or nullopt. `next` returns the next event of
  // the track after an event, or 0; without it, each event between two spans is read. `cache` must
  // outlive the track; without it, nothing is cached.
  explicit TimelineTrack(Read read, Next next = nullptr, SpanCache* cache = nullptr)
      : read_(std::move(read)), next_(std::move(next)), cache_(cache) {}

  void take(const TimelineSpan& span);  // events must be ascending
  // Rereads running spans and updates the sums. Call it after take() and before any query.
  void update();

  bool isEmpty() const { return levels_.front().empty(); }
  // Returns the sums over all spans that have ended.
  TimelineColumn total() const;
  bool hasRunning() const { return !running_.empty(); }
  std::int64_t begin() const { return begin_; }          // kForever without spans
  std::int64_t workBegin() const { return workBegin_; }  // first start of a span that is not a step
  std::int64_t end() const { return end_; }              // last end; for running spans, the start

  // Returns the sums per column. Running spans count up to end().
  std::vector<TimelineColumn> columns(const TimelineGrid& grid) const;
  // Reads the leaves that columns() needs into the cache. Calls `mayRead` before each one, and
  // returns false as soon as that returns false. Requires a cache.
  bool prepare(const TimelineGrid& grid, const std::function<bool()>& mayRead) const;
  // Returns the first `most` spans that intersect [from, to) and are at least `least` long, in
  // event order. Moments are included only if `least` is 0. Stops reading at `most`.
  std::vector<TimelineSpan> spans(std::int64_t from, std::int64_t to, std::int64_t least,
                                  std::size_t most = SIZE_MAX) const;
  // Return the newest span that began at or before `time`, or whose event is at most `position`;
  // nullopt if there is none.
  std::optional<TimelineSpan> newestAt(std::int64_t time) const;
  std::optional<TimelineSpan> newestOf(EventId position) const;

 private:
  // The sum of consecutive spans.
  struct Sum {
    EventId first = 0;
    EventId last = 0;
    std::int64_t begin = 0;  // earliest start
    std::int64_t end = 0;    // latest end; kForever if one is running
    std::int64_t longest = 0;
    std::uint32_t spans = 0;
    TimelineColumn column;

    void add(const TimelineSpan& span);
    void add(const Sum& other);
  };
  using Level = std::vector<Sum>;

  // Rereads the spans of a leaf, or reads them from the cache, and calls use(span).
  template <class Use>
  void readSpans(std::size_t leaf, const Use& use) const;
  // Returns false for a leaf whose spans may change.
  bool mayCache(std::size_t leaf) const;
  // Returns true unless the spans of a sum are within one column of `grid`.
  static bool isDivided(const Sum& sum, const TimelineGrid& grid);
  // Descends to the leaves whose sums satisfy `accepts` and calls use(leaf).
  template <class Accepts, class Use>
  void visit(std::size_t level, std::size_t place, const Accepts& accepts, const Use& use) const;
  // Returns the last span that satisfies isBefore(begin, event).
  template <class IsBefore>
  std::optional<TimelineSpan> newest(const IsBefore& isBefore) const;
  // Updates all ancestors of a leaf.
  void sumUp(std::size_t place);
  // Updates begin_, workBegin_ and end_.
  void note(const TimelineSpan& span);

  Read read_;
  Next next_;
  SpanCache* cache_;
  std::vector<Level> levels_ =
      std::vector<Level>(1);          // level 0 sums spans; level n sums level n - 1
  std::vector<std::size_t> running_;  // leaves with running spans
  std::int64_t begin_ = TimelineSpan::kForever;
  std::int64_t workBegin_ = TimelineSpan::kForever;
  std::int64_t end_ = 0;
};

}  // namespace shardlens::view
