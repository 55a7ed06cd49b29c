#include "core/trace/merge/clock_offset.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace shardlens {
namespace {

constexpr std::int64_t kWindow = 1'000'000'000;  // nanoseconds of samples per knot
constexpr std::size_t kMostSamples = 128;        // per knot

std::int64_t driftIn(std::int64_t time) { return std::abs(time) / 10'000 + 1; }

OffsetRange widened(const OffsetRange& range, std::int64_t by) {
  return {range.least - by, range.most + by};
}

OffsetRange common(const OffsetRange& a, const OffsetRange& b) {
  return {std::max(a.least, b.least), std::min(a.most, b.most)};
}

}  // namespace

std::optional<OffsetRange> agreedRange(std::span<const OffsetRange> ranges) {
  // A range begins before another one ends at the same value.
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const OffsetRange& range : ranges) {
    if (range.isEmpty()) continue;
    edges.emplace_back(range.least, -1);
    edges.emplace_back(range.most, 1);
  }
  std::sort(edges.begin(), edges.end());
  std::size_t depth = 0, deepest = ranges.size() / 2;
  std::optional<OffsetRange> agreed;
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    if (edge->second > 0) {
      --depth;
      continue;
    }
    if (++depth < deepest || depth <= ranges.size() / 2) continue;
    const OffsetRange here{edge->first, std::next(edge)->first};
    if (depth == deepest && agreed) {
      agreed->most = here.most;  // as many agree on several ranges: all of them are possible
    } else {
      agreed = here;
    }
    deepest = depth;
  }
  return agreed;
}

namespace {

// Returns the value of which `part` (0 to 1) of the values are smaller.
std::int64_t quantile(std::vector<std::int64_t> values, double part) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

void ClockOffset::add(std::int64_t time, const CollectiveSide& a, const CollectiveSide& b) {
  const std::int64_t tookOnA = a.firstReturn - a.lastCall, tookOnB = b.firstReturn - b.lastCall;
  if (tookOnA < 0 || tookOnB < 0) return;
  const bool isFull = window_.size() == kMostSamples ||
                      (!window_.empty() && std::abs(time - window_.front().time) > kWindow);
  if (isFull) {
    estimate();
    window_.clear();
    hasNewest_ = false;
  }
  window_.push_back({.time = time,
                     .certain = {a.lastCall - b.firstReturn, a.firstReturn - b.lastCall},
                     .done = {a.earliestDone - b.firstReturn, a.firstReturn - b.earliestDone},
                     .took = std::min(tookOnA, tookOnB)});
  latest_.push_back(window_.back().took);
  if (latest_.size() > kMostSamples) latest_.pop_front();
  isEstimated_ = false;
}

// Makes the last knot from the newest samples. Collectives of several groups may come slightly out
// of order; a knot never precedes the last one.
void ClockOffset::estimate() const {
  if (isEstimated_ || window_.empty()) return;
  isEstimated_ = true;
  if (hasNewest_) knots_.pop_back();
  const auto [first, last] =
      std::minmax_element(window_.begin(), window_.end(),
                          [](const Sample& x, const Sample& y) { return x.time < y.time; });
  std::int64_t time = first->time + (last->time - first->time) / 2;
  if (!knots_.empty()) time = std::max(time, knots_.back().time);
  const auto range = estimateAt(time);
  hasNewest_ = range.has_value();
  if (range) knots_.push_back({time, *range});
}

// Returns the estimate of the newest samples.
std::optional<OffsetRange> ClockOffset::estimateAt(std::int64_t time) const {
  std::vector<OffsetRange> certain, together;
  std::vector<std::int64_t> middles;
  for (const Sample& sample : window_) {
    certain.push_back(widened(sample.certain, driftIn(sample.time - time)));
    middles.push_back(sample.done.middle());
  }
  const auto possible = agreedRange(certain);
  if (!possible) return std::nullopt;
  const std::int64_t scatter = quantile(middles, 0.75) - quantile(middles, 0.25);
  const std::int64_t usual = quantile({latest_.begin(), latest_.end()}, 0.5);
  std::int64_t least = possible->error();
  for (const Sample& sample : window_) {
    const std::int64_t apart = std::max(sample.took, usual) + scatter;
    together.push_back(widened(sample.done, apart + driftIn(sample.time - time)));
    least = std::min(least, together.back().error());
  }
  const auto likely = agreedRange(together);
  if (!likely) return possible;
  // Many ranges have little in common. The bound stays that of the best single collective.
  const std::int64_t middle = likely->middle(), error = std::max(likely->error(), least);
  const OffsetRange range = common({middle - error, middle + error}, *possible);
  return range.isEmpty() ? possible : range;
}

std::optional<OffsetRange> ClockOffset::at(std::int64_t time) const {
  estimate();
  if (knots_.empty()) return std::nullopt;
  const auto after =
      std::upper_bound(knots_.begin(), knots_.end(), time,
                       [](std::int64_t key, const Knot& knot) { return key < knot.time; });
  const auto from = [time](const Knot& knot) {
    return widened(knot.range, driftIn(time - knot.time));
  };
  if (after == knots_.begin()) return from(*after);
  const Knot& before = *std::prev(after);
  if (after == knots_.end()) return from(before);
  // Interpolates, so that the offset has no jumps. Between knots it deviates from a line by at most
  // twice the drift since the nearer one.
  const auto part =
      static_cast<double>(time - before.time) / static_cast<double>(after->time - before.time);
  const std::int64_t rise = after->range.middle() - before.range.middle();
  const std::int64_t middle =
      before.range.middle() + static_cast<std::int64_t>(part * static_cast<double>(rise));
  const std::int64_t nearest = std::min(time - before.time, after->time - time);
  const std::int64_t error =
      std::max(before.range.error(), after->range.error()) + 2 * driftIn(nearest) + 1;
  return OffsetRange{middle - error, middle + error};
}

}  // namespace shardlens
