#include "core/view/timeline/timeline_track.h"

#include "core/base/wrapped_sum.h"
#include "core/view/timeline/span_cache.h"

#include <algorithm>
#include <utility>

namespace shardlens::view {
namespace {

constexpr std::uint32_t kSpans = 32;  // spans per leaf, at most
// Events per leaf, at most, because leaves are reread. Does not hold for tracks with `next`.
constexpr EventId kReach = 1024;
constexpr std::size_t kSums = 16;  // children per inner sum
constexpr std::int64_t kForever = TimelineSpan::kForever;

}  // namespace

void TimelineColumn::add(const TimelineColumn& other) {
  increase(steps, other.steps);
  increase(operators, other.operators);
  increase(compute, other.compute);
  increase(waiting, other.waiting);
  for (std::size_t axis = 0; axis < collectives.size(); ++axis) {
    increase(collectives[axis], other.collectives[axis]);
  }
  increase(implicit, other.implicit);
  increase(exposed, other.exposed);
  moments |= other.moments;
  callKinds |= other.callKinds;
  calls += other.calls;
}

int TimelineGrid::columnOf(std::int64_t time) const {
  const double part = static_cast<double>(time - from_) / static_cast<double>(to_ - from_);
  return std::clamp(static_cast<int>(part * columns_), 0, columns_ - 1);
}

std::int64_t TimelineGrid::edge(int column) const {
  const double part = static_cast<double>(column) / columns_;
  return from_ + static_cast<std::int64_t>(part * static_cast<double>(to_ - from_));
}

template <class Amount>
void TimelineGrid::share(std::int64_t begin, std::int64_t end, const Amount& amount) const {
  begin = std::max(begin, from_);
  end = std::min(end, to_);
  if (begin >= end) return;
  const int last = columnOf(end);
  for (int column = columnOf(begin); column < last; ++column) {
    const std::int64_t next = std::clamp(edge(column + 1), begin, end);
    increase(amount(column), next - begin);
    begin = next;
  }
  increase(amount(last), end - begin);
}

void TimelineGrid::put(const TimelineSpan& span, std::vector<TimelineColumn>& into) const {
  const auto at = [&](int column) -> TimelineColumn& {
    return into[static_cast<std::size_t>(column)];
  };
  const auto put = [&](std::int64_t begin, std::int64_t TimelineColumn::*kind) {
    share(begin, span.end, [&](int column) -> std::int64_t& { return at(column).*kind; });
  };
  switch (span.kind) {
    case SpanKind::Step:
      return put(span.begin, &TimelineColumn::steps);
    case SpanKind::Operator:
      return put(span.begin, &TimelineColumn::operators);
    case SpanKind::Compute:
      return put(span.begin, &TimelineColumn::compute);
    case SpanKind::Collective: {
      if (span.begin >= from_ && span.begin < to_) {
        TimelineColumn& column = at(columnOf(span.begin));
        column.callKinds |= static_cast<std::uint16_t>(1U << static_cast<int>(span.call));
        ++column.calls;
      }
      put(span.begin + span.overlapped, &TimelineColumn::exposed);
      if (span.isImplicit) put(span.begin, &TimelineColumn::implicit);
      const auto moved = [&](int column) -> std::int64_t& {
        return at(column).collectives[static_cast<std::size_t>(span.axis)];
      };
      if (span.wait == 0) return share(span.begin, span.end, moved);
      const std::int64_t goes = span.waitBegin + span.wait;
      share(span.begin, span.waitBegin, moved);
      share(span.waitBegin, goes, [&](int column) -> std::int64_t& { return at(column).waiting; });
      return share(goes, span.end, moved);
    }
    case SpanKind::Hit:
    case SpanKind::Miss:
    case SpanKind::Mask:
    case SpanKind::Error:
      if (span.begin < from_ || span.begin >= to_) return;
      at(columnOf(span.begin)).moments |=
          static_cast<std::uint16_t>(1U << static_cast<int>(span.kind));
  }
}

void TimelineTrack::Sum::add(const TimelineSpan& span) {
  std::vector<TimelineColumn> whole(1);
  // Running spans have no column sum: queries always descend to them.
  if (span.end != kForever) {
    TimelineGrid(span.begin, std::max(span.end, span.begin + 1), 1).put(span, whole);
  }
  add({.first = span.event,
       .last = span.event,
       .begin = span.begin,
       .end = span.end,
       .longest = span.end - span.begin,
       .spans = 1,
       .column = whole.front()});
}

void TimelineTrack::Sum::add(const Sum& other) {
  if (spans == 0) {
    first = other.first;
    begin = other.begin;
  }
  last = other.last;
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
  longest = std::max(longest, other.longest);
  spans += other.spans;
  column.add(other.column);
}

void TimelineTrack::note(const TimelineSpan& span) {
  begin_ = std::min(begin_, span.begin);
  if (span.kind != SpanKind::Step) workBegin_ = std::min(workBegin_, span.begin);
  end_ = std::max(end_, span.end == kForever ? span.begin : span.end);
}

void TimelineTrack::take(const TimelineSpan& span) {
  if (isEmpty()) levels_.front().emplace_back();
  if (const Sum& last = levels_.front().back();
      last.spans == kSpans || (!next_ && last.spans > 0 && span.event - last.first >= kReach)) {
    sumUp(levels_.front().size() - 1);
    levels_.front().emplace_back();
  }
  levels_.front().back().add(span);
  note(span);
  if (span.end != kForever) return;
  const std::size_t place = levels_.front().size() - 1;
  if (running_.empty() || running_.back() != place) running_.push_back(place);
}

void TimelineTrack::update() {
  std::erase_if(running_, [&](std::size_t place) {
    Sum fresh;
    readSpans(place, [&](const TimelineSpan& span) {
      fresh.add(span);
      note(span);
    });
    levels_.front()[place] = fresh;
    sumUp(place);
    return fresh.end != kForever;
  });
  if (!isEmpty()) sumUp(levels_.front().size() - 1);
}

// Updates the sums above a leaf, up to the root.
void TimelineTrack::sumUp(std::size_t place) {
  for (std::size_t level = 1; levels_[level - 1].size() > 1; ++level) {
    if (levels_.size() == level) levels_.emplace_back();
    const Level& below = levels_[level - 1];
    Level& sums = levels_[level];
    // A new level also needs the sums before this one.
    for (std::size_t each = std::min(place / kSums, sums.size()); each <= place / kSums; ++each) {
      Sum sum;
      const std::size_t end = std::min(below.size(), (each + 1) * kSums);
      for (std::size_t i = each * kSums; i < end; ++i) sum.add(below[i]);
      if (each == sums.size()) {
        sums.push_back(sum);
      } else {
        sums[each] = sum;
      }
    }
    place /= kSums;
  }
}

template <class Use>
void TimelineTrack::readSpans(std::size_t leaf, const Use& use) const {
  if (const auto* spans = cache_ == nullptr ? nullptr : cache_->find(*this, leaf)) {
    std::ranges::for_each(*spans, use);
    return;
  }
  const Sum& sum = levels_.front()[leaf];
  std::vector<TimelineSpan> spans;
  for (EventId id = sum.first; id != 0 && id <= sum.last; id = next_ ? next_(id) : id + 1) {
    if (const auto span = read_(id)) spans.push_back(*span);
  }
  std::ranges::for_each(spans, use);
  if (mayCache(leaf)) cache_->put(*this, leaf, std::move(spans));
}

// The last leaf may get more spans.
bool TimelineTrack::mayCache(std::size_t leaf) const {
  const Level& leaves = levels_.front();
  return cache_ != nullptr && leaf + 1 < leaves.size() && leaves[leaf].end != kForever;
}

// Descends only if `accepts` returns true for the sum.
template <class Accepts, class Use>
void TimelineTrack::visit(std::size_t level, std::size_t place, const Accepts& accepts,
                          const Use& use) const {
  const Sum& sum = levels_[level][place];
  if (!accepts(sum)) return;
  if (level == 0) return use(place);
  const std::size_t end = std::min(levels_[level - 1].size(), (place + 1) * kSums);
  for (std::size_t i = place * kSums; i < end; ++i) visit(level - 1, i, accepts, use);
}

bool TimelineTrack::isDivided(const Sum& sum, const TimelineGrid& grid) {
  const bool isInside = sum.begin >= grid.from() && sum.end < grid.to();
  return !isInside || grid.columnOf(sum.begin) != grid.columnOf(sum.end);
}

std::vector<TimelineColumn> TimelineTrack::columns(const TimelineGrid& grid) const {
  std::vector<TimelineColumn> columns(static_cast<std::size_t>(grid.columns()));
  const auto accepts = [&](const Sum& sum) {
    if (sum.begin >= grid.to() || sum.end < grid.from()) return false;
    if (isDivided(sum, grid)) return true;
    columns[static_cast<std::size_t>(grid.columnOf(sum.begin))].add(sum.column);
    return false;
  };
  const auto put = [&](TimelineSpan span) {
    span.end = span.end == kForever ? std::max(end_, span.begin) : span.end;
    span.wait = std::min(span.wait, span.end - std::min(span.waitBegin, span.end));
    grid.put(span, columns);
  };
  if (!isEmpty()) {
    visit(levels_.size() - 1, 0, accepts, [&](std::size_t leaf) { readSpans(leaf, put); });
  }
  return columns;
}

bool TimelineTrack::prepare(const TimelineGrid& grid, const std::function<bool()>& mayRead) const {
  bool isReady = true;
  const auto accepts = [&](const Sum& sum) {
    return isReady && sum.begin < grid.to() && sum.end >= grid.from() && isDivided(sum, grid);
  };
  const auto read = [&](std::size_t leaf) {
    if (!mayCache(leaf) || cache_->find(*this, leaf) != nullptr) return;
    isReady = mayRead();
    if (isReady) readSpans(leaf, [](const TimelineSpan&) {});
  };
  if (!isEmpty()) visit(levels_.size() - 1, 0, accepts, read);
  return isReady;
}

std::vector<TimelineSpan> TimelineTrack::spans(std::int64_t from, std::int64_t to,
                                               std::int64_t least, std::size_t most) const {
  std::vector<TimelineSpan> spans;
  const auto accepts = [&](const auto& each) {
    return spans.size() < most && each.begin < to && each.end >= from;
  };
  const auto use = [&](const TimelineSpan& span) {
    if (accepts(span) && span.end - span.begin >= least) spans.push_back(span);
  };
  if (!isEmpty()) {
    visit(
        levels_.size() - 1, 0, [&](const Sum& sum) { return accepts(sum) && sum.longest >= least; },
        [&](std::size_t leaf) { readSpans(leaf, use); });
  }
  return spans;
}

TimelineColumn TimelineTrack::total() const {
  return isEmpty() ? TimelineColumn() : levels_.back().front().column;
}

template <class IsBefore>
std::optional<TimelineSpan> TimelineTrack::newest(const IsBefore& isBefore) const {
  const Level& sums = levels_.front();
  const auto after = std::partition_point(
      sums.begin(), sums.end(), [&](const Sum& sum) { return isBefore(sum.begin, sum.first); });
  std::optional<TimelineSpan> found;
  if (after == sums.begin()) return found;
  readSpans(static_cast<std::size_t>(after - sums.begin()) - 1, [&](const TimelineSpan& span) {
    if (isBefore(span.begin, span.event)) found = span;
  });
  return found;
}

std::optional<TimelineSpan> TimelineTrack::newestAt(std::int64_t time) const {
  return newest([time](std::int64_t begin, EventId) { return begin <= time; });
}

std::optional<TimelineSpan> TimelineTrack::newestOf(EventId position) const {
  return newest([position](std::int64_t, EventId event) { return event <= position; });
}

}  // namespace shardlens::view
