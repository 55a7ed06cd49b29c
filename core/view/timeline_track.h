#pragma once

#include "core/model/event.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace shardlens::view {

// What a timeline shows of an event: work that takes time, or from Hit on a moment.
enum class SpanKind : std::uint8_t {
  Step,
  Operator,  // and a redistribution
  Compute,
  Collective,
  Hit,
  Miss,
  Mask,
  Error,
};
constexpr bool isMoment(SpanKind kind) { return kind >= SpanKind::Hit; }

struct TimelineSpan {
  EventId event = 0;
  SpanKind kind = SpanKind::Step;
  int axis = 0;            // of a collective: its place among Column's axes
  std::int64_t begin = 0;  // nanoseconds
  std::int64_t end = 0;    // kForever while it has not ended
  std::int64_t wait = 0;   // of a collective: so long it waits for others first
  std::int64_t late = 0;   // of the one that comes last: so much later than the first
  bool operator==(const TimelineSpan&) const = default;

  static constexpr std::int64_t kForever = std::int64_t{1} << 62;
};

// What happens in a piece of time, in nanoseconds of each kind. What is inside of something else
// counts for both.
struct TimelineColumn {
  static constexpr int kAxes = 4;  // the last is of collectives over no one mesh dimension of three

  std::int64_t steps = 0;
  std::int64_t operators = 0;
  std::int64_t compute = 0;
  std::int64_t waiting = 0;
  std::array<std::int64_t, kAxes> collectives = {};
  std::uint32_t moments = 0;  // a bit for each kind that some of them are of

  void add(const TimelineColumn& other);
  bool has(SpanKind moment) const { return (moments >> static_cast<int>(moment) & 1U) != 0; }
  bool operator==(const TimelineColumn&) const = default;
};

// A stretch of time cut into columns of one length.
class TimelineCut {
 public:
  TimelineCut(std::int64_t from, std::int64_t to, int columns)
      : from_(from), to_(to), columns_(columns) {}
  std::int64_t from() const { return from_; }
  std::int64_t to() const { return to_; }
  int columns() const { return columns_; }
  int columnOf(std::int64_t time) const;  // of a time in the stretch
  // Adds what a span has of each column to it.
  void put(const TimelineSpan& span, std::vector<TimelineColumn>& into) const;

 private:
  template <class Amount>
  void share(std::int64_t begin, std::int64_t end, const Amount& amount) const;
  std::int64_t edge(int column) const;

  std::int64_t from_;
  std::int64_t to_;
  int columns_;
};

// The spans of ranks that share a clock, in the order of their events, with sums over some of them,
// over some of these sums, and so on: whatever is asked costs what is answered, however many spans
// there are. Spans are not kept but read again.
class TimelineTrack {
 public:
  using Read = std::function<std::optional<TimelineSpan>(EventId)>;
  explicit TimelineTrack(Read read) : read_(std::move(read)) {}

  void take(const TimelineSpan& span);  // its event is newer than all before
  // Reads those again that had not ended.
  void update();

  bool isEmpty() const { return levels_.front().empty(); }
  bool hasRunning() const { return !running_.empty(); }
  std::int64_t begin() const { return begin_; }
  std::int64_t workBegin() const { return workBegin_; }  // of what is more than a step
  std::int64_t end() const { return end_; }              // of what has ended, or begun

  std::vector<TimelineColumn> columns(const TimelineCut& cut) const;
  // Those that have a part of a stretch and are no shorter than that, in order; moments where it
  // is 0.
  std::vector<TimelineSpan> spans(std::int64_t from, std::int64_t to, std::int64_t least) const;
  // The newest that has begun by then, or is one of the first so many events; none before all.
  std::optional<TimelineSpan> newestAt(std::int64_t time) const;
  std::optional<TimelineSpan> newestOf(EventId position) const;

 private:
  // Of some spans that follow one another.
  struct Sum {
    EventId first = 0;
    EventId last = 0;
    std::int64_t begin = 0;  // the first one's
    std::int64_t end = 0;    // the last that ends
    std::int64_t longest = 0;
    std::uint32_t spans = 0;
    TimelineColumn column;

    void add(const TimelineSpan& span);
    void add(const Sum& other);
  };
  using Level = std::vector<Sum>;

  template <class Use>
  void readSpans(const Sum& sum, const Use& use) const;
  template <class Wanted, class Use>
  void visit(std::size_t level, std::size_t place, const Wanted& wanted, const Use& use) const;
  template <class IsBefore>
  std::optional<TimelineSpan> newest(const IsBefore& isBefore) const;
  void sumUp(std::size_t place);
  void note(const TimelineSpan& span);

  Read read_;
  std::vector<Level> levels_ =
      std::vector<Level>(1);          // the first is of spans, each of the one before
  std::vector<std::size_t> running_;  // places in the first level with spans that have not ended
  std::int64_t begin_ = TimelineSpan::kForever;
  std::int64_t workBegin_ = TimelineSpan::kForever;
  std::int64_t end_ = 0;
};

}  // namespace shardlens::view
