#include "core/query/problems/rules/uncertain_join.h"

#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/site_record.h"

#include <algorithm>

namespace shardlens {

namespace {

// Returns true if the merge joins both if different ranks record them.
bool areAlike(const Journal& journal, const Event& one, const Event& other) {
  if (one.kind != other.kind || one.parent != other.parent ||
      Journal::nameKey(one) != Journal::nameKey(other)) {
    return false;
  }
  if (one.site == other.site) return true;
  const SiteRecord a = readSite(journal.text(one.site)), b = readSite(journal.text(other.site));
  return a.line == b.line && a.module == b.module;
}

// Returns true if some of the ranks recorded the event, and another one did not and continued.
bool isOfSome(const Journal& journal, EventId id, const std::vector<int>& ranks) {
  const auto has = [&](int rank) { return journal.part(id, rank).has_value(); };
  return std::ranges::any_of(ranks, has) && std::ranges::any_of(ranks, [&](int rank) {
           return !has(rank) && hasContinuedAfter(journal, rank, id);
         });
}

}  // namespace

bool isUncertainJoin(const Journal& journal, EventId id, const std::vector<int>& ranks) {
  if (!journal.isMerged()) return false;
  std::vector<Event> joined;
  for (EventId at = id; at != 0; at = joined.back().parent) joined.push_back(journal.at(at));
  const int step = joined.front().step;
  const auto isUncertain = [&](EventId other) {
    const Event event = journal.at(other);
    return std::ranges::any_of(joined,
                               [&](const Event& each) { return areAlike(journal, each, event); }) &&
           isOfSome(journal, other, ranks);
  };
  for (EventId at = id - 1; at >= 1 && journal.at(at).step >= step; --at) {
    if (isUncertain(at)) return true;
  }
  for (EventId at = id + 1; at <= journal.size() && journal.at(at).step <= step; ++at) {
    if (isUncertain(at)) return true;
  }
  return false;
}

}  // namespace shardlens
