#include "core/view/timeline/timeline.h"

#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"

#include <algorithm>
#include <utility>

namespace shardlens::view {
namespace {

constexpr std::size_t kMostCached = 1024;   // cached collectives
constexpr std::size_t kCachedBlocks = 512;  // of a merged recording, 0.1 MiB each

std::optional<SpanKind> kindOf(const Event& event) {
  switch (event.kind) {
    case EventKind::Step:
      return SpanKind::Step;
    case EventKind::Operator:
    case EventKind::Redistribute:
      return SpanKind::Operator;
    case EventKind::Compute:
      return SpanKind::Compute;
    case EventKind::Collective:
      return SpanKind::Collective;
    case EventKind::CacheLookup:
      return event.verdict == Verdict::Hit ? SpanKind::Hit : SpanKind::Miss;
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return SpanKind::Mask;
    case EventKind::Error:
      return SpanKind::Error;
    case EventKind::Candidates:
    case EventKind::Plan:
    case EventKind::Result:
    case EventKind::CacheEvicted:
    case EventKind::Check:
      break;
  }
  return std::nullopt;
}

// Returns true if the nearest redistribution around an event is implicit.
bool isInImplicit(const Journal& journal, EventId parent) {
  for (EventId around = parent; around != 0;) {
    const Event event = journal.at(around);
    if (event.kind == EventKind::Redistribute) return event.verdict == Verdict::Implicit;
    around = event.parent;
  }
  return false;
}

}  // namespace

Timeline::Timeline(const Journal& journal)
    : journal_(journal), ranks_(hostedRanges(journal)), divergences_(journal) {
  if (!journal.isMerged()) {
    addTrack(ranks_, 0);
    return;
  }
  // The events of a rank are spread over all blocks, which would be decompressed for each lane.
  journal.cacheBlocks(kCachedBlocks);
  for (const RankRange& range : ranks_) {
    for (int rank = range.first; rank <= range.last; ++rank) {
      order_.push_back(addTrack({{rank, rank}}, rank));
    }
  }
  laneOf_ = order_;
  similar_.assign(order_.size(), 1);
}

std::size_t Timeline::addTrack(std::vector<RankRange> ranks, int rank) {
  const std::size_t track = tracks_.size();
  const auto* parts = dynamic_cast<const MergedParts*>(&journal_.values());
  TimelineTrack::Next next;
  if (parts != nullptr) next = [parts, rank](EventId id) { return parts->nextEventOf(rank, id); };
  const auto read = [this, track, rank](EventId id) { return this->read(track, rank, id); };
  tracks_.push_back(
      {std::move(ranks), std::make_unique<TimelineTrack>(read, std::move(next), &cache_)});
  return track;
}

// Uses the first track for all hosted ranks, and for events without ranks.
std::size_t Timeline::trackOf(StringId ranks) {
  const auto known = trackOf_.find(ranks);
  if (known != trackOf_.end()) return known->second;
  auto ranges = united(parseRankRanges(journal_.text(ranks)));
  const auto same = ranges.empty() ? tracks_.begin()
                                   : std::find_if(tracks_.begin(), tracks_.end(), [&](auto& track) {
                                       return track.ranks == ranges;
                                     });
  const std::size_t track = same == tracks_.end()
                                ? addTrack(std::move(ranges), 0)
                                : static_cast<std::size_t>(same - tracks_.begin());
  trackOf_.emplace(ranks, track);
  return track;
}

bool Timeline::take(EventId events) {
  if (ranks_.empty()) return false;
  const EventId end = journal_.size() - taken_ > events ? taken_ + events : journal_.size();
  while (taken_ < end) {
    const EventId id = ++taken_;
    const Event event = journal_.at(id);
    if (!kindOf(event)) continue;
    if (!journal_.isMerged()) {
      tracks_[trackOf(event.ranks)].spans->take(*spanOf(id, event, 0));
      continue;
    }
    for (const std::size_t track : tracksOfRanks(event.ranks)) {
      const auto span = spanOf(id, event, tracks_[track].ranks.front().first);
      if (span) tracks_[track].spans->take(*span);
    }
  }
  const bool hasMore = taken_ < journal_.size();
  return hasMore;
}

void Timeline::update() {
  // Missing ranks may have arrived.
  arrivals_.clear();
  meshDims_.clear();  // a mesh may have been recorded
  cache_.removeAwaiting();
  for (const Track& track : tracks_) track.spans->update();
  if (isToArrange()) arrange();
}

bool Timeline::hasRunning() const {
  return std::any_of(tracks_.begin(), tracks_.end(),
                     [](const Track& track) { return track.spans->hasRunning(); });
}

std::optional<TimelineSpan> Timeline::read(std::size_t track, int rank, EventId id) const {
  const Event event = journal_.at(id);
  if (!kindOf(event)) return std::nullopt;
  if (!journal_.isMerged() && trackOf_.at(event.ranks) != track) return std::nullopt;
  return spanOf(id, event, rank);
}

std::optional<TimelineSpan> Timeline::spanOf(EventId id, const Event& event, int rank) const {
  const auto part = journal_.isMerged() ? journal_.part(id, rank)
                                        : std::optional(EventPart{.time = event.time,
                                                                  .duration = event.duration,
                                                                  .bytes = event.bytes,
                                                                  .exposed = event.exposed});
  if (!part) return std::nullopt;
  const bool isRunning = part->duration == Event::kRunning;
  TimelineSpan span{.event = id,
                    .kind = *kindOf(event),
                    .begin = part->time,
                    .end = isRunning ? TimelineSpan::kForever : part->time + part->duration};
  if (isMoment(span.kind)) span.end = span.begin;
  if (span.kind != SpanKind::Collective) return span;
  span.call = event.collective();
  constexpr int kOther = TimelineColumn::kAxes - 1;
  const int dim = meshDimOf(event);
  span.axis = dim >= 0 && dim < kOther ? dim : kOther;
  span.isImplicit = isInImplicit(journal_, event.parent);
  if (part->exposed > 0 && part->exposed < part->duration) {
    span.overlapped = part->duration - part->exposed;
  }
  if (!journal_.isMerged()) return span;
  const auto arrival = arrivalOf(id, event, rank);
  if (arrival) setWaiting(span, *part, *arrival);
  return span;
}

// A rank that is blocked for a part of the collective only is blocked at its end.
void Timeline::setWaiting(TimelineSpan& span, const EventPart& part, const Arrival& arrival) const {
  span.waitBegin = span.begin + span.overlapped;
  span.isWhole = arrival.isWhole;
  if (!arrival.isWhole) {
    const bool hasClock = part.error < EventPart::kUnknown;
    span.wait = hasClock ? span.end - span.waitBegin : 0;
    return;
  }
  const std::int64_t wait = std::min(arrival.last->time, span.end) - span.waitBegin;
  if (wait > errorBetween(part, *arrival.last)) span.wait = wait;
  const std::int64_t late = arrival.last->time - arrival.first->time;
  const bool isLast = part == *arrival.last;
  if (isLast && late > errorBetween(*arrival.first, *arrival.last)) span.late = late;
}

// As of tensor_ranks.h. The collectives of a group share the answer.
int Timeline::meshDimOf(const Event& collective) const {
  if (collective.meshDim >= 0) return collective.meshDim;
  const auto [known, isNew] = meshDims_.try_emplace({collective.ranks, collective.detail}, -1);
  if (isNew) known->second = shardlens::meshDimOf(journal_, collective);
  return known->second;
}

// Returns the group index by rank.
const std::unordered_map<int, int>& Timeline::groupsOf(StringId ranks) const {
  const auto known = groups_.find(ranks);
  if (known != groups_.end()) return known->second;
  auto& groups = groups_[ranks];
  int number = 0;
  for (const auto& members : parseRanks(journal_.text(ranks))) {
    for (const int rank : members) groups.emplace(rank, number);
    ++number;
  }
  return groups;
}

int Timeline::groupOf(EventId collective, int rank) const {
  const auto& groups = groupsOf(journal_.at(collective).ranks);
  const auto found = groups.find(rank);
  return found == groups.end() ? 0 : found->second;
}

std::optional<Timeline::Arrival> Timeline::arrivalOf(EventId id, const Event& event,
                                                     int rank) const {
  const auto& groups = groupsOf(event.ranks);
  const auto group = groups.find(rank);
  if (group == groups.end()) return std::nullopt;
  if (arrivals_.size() > kMostCached) arrivals_.clear();
  auto& arrivals = arrivals_[id];
  if (arrivals.empty()) {
    for (const auto& [member, number] : groups) {
      if (!contains(ranks_, member)) continue;
      const auto part = journal_.part(id, member);
      Arrival& arrival = arrivals[number];
      arrival.isWhole &= part.has_value();
      if (!part) continue;
      if (!arrival.first || part->time < arrival.first->time) arrival.first = part;
      if (!arrival.last || part->time > arrival.last->time) arrival.last = part;
    }
  }
  return arrivals.at(group->second);
}

std::int64_t Timeline::begin() const {
  std::int64_t begin = TimelineSpan::kForever;
  for (const Track& track : tracks_) begin = std::min(begin, track.spans->begin());
  return begin == TimelineSpan::kForever ? 0 : begin;
}

std::int64_t Timeline::workBegin() const {
  std::int64_t begin = TimelineSpan::kForever;
  for (const Track& track : tracks_) begin = std::min(begin, track.spans->workBegin());
  return begin == TimelineSpan::kForever ? this->begin() : begin;
}

std::int64_t Timeline::end() const {
  std::int64_t end = 0;
  for (const Track& track : tracks_) end = std::max(end, track.spans->end());
  return end;
}

std::vector<TimelineColumn> Timeline::columns(int rank, const TimelineGrid& grid) const {
  std::vector<TimelineColumn> columns(static_cast<std::size_t>(grid.columns()));
  for (const TimelineTrack* track : tracksOf(rank)) {
    const auto its = track->columns(grid);
    for (std::size_t i = 0; i < its.size(); ++i) columns[i].add(its[i]);
  }
  return columns;
}

bool Timeline::prepare(int rank, const TimelineGrid& grid,
                       const std::function<bool()>& mayRead) const {
  return std::ranges::all_of(
      tracksOf(rank), [&](const TimelineTrack* track) { return track->prepare(grid, mayRead); });
}

std::vector<TimelineSpan> Timeline::spans(int rank, std::int64_t from, std::int64_t to,
                                          std::int64_t least, std::size_t most) const {
  std::vector<TimelineSpan> spans;
  for (const TimelineTrack* track : tracksOf(rank)) {
    const auto its = track->spans(from, to, least, most);
    spans.insert(spans.end(), its.begin(), its.end());
  }
  std::sort(spans.begin(), spans.end(),
            [](const auto& one, const auto& other) { return one.event < other.event; });
  if (spans.size() > most) spans.resize(most);
  return spans;
}

template <class Newest>
std::optional<TimelineSpan> Timeline::newest(int rank, const Newest& find) const {
  std::optional<TimelineSpan> newest;
  for (const TimelineTrack* track : tracksOf(rank)) {
    const auto its = find(*track);
    if (its && (!newest || newest->event < its->event)) newest = its;
  }
  return newest;
}

std::optional<TimelineSpan> Timeline::newestAt(int rank, std::int64_t time) const {
  return newest(rank, [time](const TimelineTrack& track) { return track.newestAt(time); });
}

std::optional<TimelineSpan> Timeline::newestOf(int rank, EventId position) const {
  return newest(rank, [=](const TimelineTrack& track) { return track.newestOf(position); });
}

}  // namespace shardlens::view
