#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace shardlens {

// Bounds on a difference of two clocks, in nanoseconds.
struct OffsetRange {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool isEmpty() const { return least > most; }
  std::int64_t middle() const { return least + (most - least) / 2; }
  std::int64_t error() const { return most - middle(); }  // of middle(), at most
  bool operator==(const OffsetRange&) const = default;
};

// Returns the values that lie in most of the ranges (Marzullo's algorithm), so that a minority of
// wrong ranges has no effect. nullopt unless more than half of the ranges agree.
std::optional<OffsetRange> agreedRange(std::span<const OffsetRange> ranges);

// The members of one collective that share a clock, as times on that clock.
struct CollectiveSide {
  std::int64_t lastCall = 0;      // when the last member called it
  std::int64_t firstReturn = 0;   // when the first member observed that it was complete
  std::int64_t earliestDone = 0;  // it was complete then at the earliest
};

// Estimates the offset between two clocks A and B, time on A minus time on B, from collectives with
// members on both. Two facts bound it: no member returns before all members have called, and all
// members return together. The second one holds within the time that collectives take once all have
// called, plus the scatter of the returns, as of processes that wake up late. Clocks are assumed to
// drift by at most one part in 10,000. The offset is estimated per second and interpolated. Not
// thread safe: const functions use a cache.
class ClockOffset {
 public:
  // `time` orders the collectives; it is close to the time on either clock. Ignores a collective
  // whose sides contradict themselves.
  void add(std::int64_t time, const CollectiveSide& a, const CollectiveSide& b);
  // Returns bounds on the offset at a time. nullopt if the collectives do not agree on any.
  std::optional<OffsetRange> at(std::int64_t time) const;

 private:
  struct Sample {
    std::int64_t time;
    OffsetRange certain;  // by the order of calls and returns
    OffsetRange done;     // if both sides are done at the same moment
    std::int64_t took;    // on the quicker side, once all of its members had called
  };
  // An estimate of the offset at one moment.
  struct Knot {
    std::int64_t time;
    OffsetRange range;
  };

  void estimate() const;
  std::optional<OffsetRange> estimateAt(std::int64_t time) const;

  std::vector<Sample> window_;        // the newest samples
  std::deque<std::int64_t> latest_;   // `took` of the latest samples, also of earlier windows
  mutable std::vector<Knot> knots_;   // ascending; one for each earlier window
  mutable bool isEstimated_ = false;  // window_ has been estimated
  mutable bool hasNewest_ = false;    // the last knot is that of window_
};

}  // namespace shardlens
