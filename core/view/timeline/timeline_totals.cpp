#include "core/view/timeline/timeline_totals.h"

#include "core/base/wrapped_sum.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace shardlens::view {
namespace {

constexpr std::size_t kMostSpans = 200'000;
constexpr std::int64_t kMostRanks = 1024;

class Summing {
 public:
  Summing(const Journal& journal, const Timeline& timeline, const TimelineArea& area)
      : journal_(journal), timeline_(timeline), area_(area) {}

  // Adds the spans of a rank. Adjacent ranks with the same tracks have equal spans, which flush()
  // adds once for all of them.
  void add(int rank) {
    auto tracks = timeline_.tracksOf(rank);
    if (alike_ == 0 || tracks != tracks_) {
      flush();
      tracks_ = std::move(tracks);
      rank_ = rank;
    }
    ++alike_;
  }
  // Adds the spans of the last ranks. Call it after the last add().
  void flush() {
    if (alike_ == 0) return;
    const std::size_t most = kMostSpans - read_;
    auto spans = timeline_.spans(rank_, area_.from, area_.to, 0, most + 1);
    if (spans.size() > most) {
      isCut_ = true;
      spans.resize(most);
    }
    read_ += spans.size();
    for (const TimelineSpan& span : spans) add(span, alike_);
    alike_ = 0;
  }
  bool isCut() const { return isCut_; }

  std::vector<NameTotal> names() const {
    std::vector<NameTotal> names;
    for (const auto& [key, name] : names_) names.push_back(name.total);
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& one, const auto& other) { return one.time > other.time; });
    return names;
  }

 private:
  struct Name {
    NameTotal total;
    std::int64_t longest = -1;
    std::unordered_set<EventId> events;
  };

  // Adds a span of this many ranks.
  void add(const TimelineSpan& span, std::int64_t ranks) {
    const std::int64_t end = std::min(std::min(span.end, timeline_.end()), area_.to);
    const std::int64_t time = std::max<std::int64_t>(0, end - std::max(span.begin, area_.from));
    if (isMoment(span.kind) ? span.begin >= area_.to : time == 0) return;
    const Event event = journal_.at(span.event);
    const std::string called(journal_.name(event));
    Name& name = names_[{span.kind, span.isImplicit, called}];
    NameTotal& total = name.total;
    total.name = event.kind == EventKind::Redistribute ? "redistribute " + called : called;
    total.kind = span.kind;
    total.isImplicit = span.isImplicit;
    increase(total.time, wrappedProduct(time, ranks));
    const std::int64_t waitEnd = std::min(span.waitBegin + span.wait, end);
    const std::int64_t waiting = waitEnd - std::max(span.waitBegin, area_.from);
    increase(total.waiting, wrappedProduct(std::max<std::int64_t>(0, waiting), ranks));
    if (name.events.insert(span.event).second) {
      ++total.events;
      if (span.kind == SpanKind::Collective) increase(total.bytes, event.bytes);
    }
    if (time > name.longest) {
      name.longest = time;
      total.longest = span.event;
    }
  }

  const Journal& journal_;
  const Timeline& timeline_;
  const TimelineArea& area_;
  std::vector<const TimelineTrack*> tracks_;  // of the last ranks added
  int rank_ = 0;                              // the first of them
  std::int64_t alike_ = 0;                    // their number; 0: flushed
  std::size_t read_ = 0;
  bool isCut_ = false;
  std::map<std::tuple<SpanKind, bool, std::string>, Name> names_;
};

}  // namespace

AreaTotals totalsOf(const Journal& journal, const Timeline& timeline, const TimelineArea& area) {
  AreaTotals totals;
  if (area.from >= area.to) return totals;
  Summing summing(journal, timeline, area);
  const std::int64_t end = std::min(area.lastLane + 1, timeline.lanes());
  for (std::int64_t lane = area.firstLane; lane < end; ++lane) {
    if (lane - area.firstLane == kMostRanks) {
      totals.isCut = true;
      break;
    }
    const int rank = timeline.rankOf(lane);
    summing.add(rank);
    totals.byRank.push_back(
        {rank, timeline.columns(rank, TimelineGrid(area.from, area.to, 1)).front()});
  }
  summing.flush();
  totals.byName = summing.names();
  totals.isCut = totals.isCut || summing.isCut();
  return totals;
}

}  // namespace shardlens::view
