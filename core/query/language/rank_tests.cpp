#include "core/query/language/rank_tests.h"

#include "core/model/rank_ranges.h"
#include "core/model/rank_selector.h"
#include "core/query/language/interval.h"
#include "core/query/language/query_fields.h"
#include "core/query/language/text_tests.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/program_roles.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

// Tests whether an event names one of these ranks.
EventFilter::Test ofAnyRank(const Journal& journal, std::vector<RankRange> ranks) {
  return testOfText(journal, &Event::ranks, [ranks = std::move(ranks)](std::string_view text) {
    return areMeeting(parseRankRanges(text), ranks);
  });
}

}  // namespace

// Coordinates that the mesh of the journal does not have match no event; see checkRanks().
EventFilter::Test testOfRanks(const Journal& journal, const Term& term) {
  if (selectsByAxis(term.values.front())) {
    return ofAnyRank(
        journal,
        selectRanks(term.values.front(), recordedMesh(journal)).value_or(std::vector<RankRange>()));
  }
  return testOfText(journal, &Event::ranks,
                    [all = intervals(term, *findField(term.field))](std::string_view text) {
                      const auto ranges = parseRankRanges(text);
                      return std::any_of(ranges.begin(), ranges.end(), [&](const RankRange& range) {
                        return std::any_of(all.begin(), all.end(), [&](const Interval& interval) {
                          return interval.meets(range.first, range.last);
                        });
                      });
                    });
}

// Roles that are found later, as the journal grows, do not count.
EventFilter::Test testOfRoles(const Journal& journal, const Term& term) {
  const auto all = intervals(term, *findField(term.field));
  const auto roles = programRoles(journal);
  std::vector<RankRange> ranks;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const auto number = static_cast<double>(i + 1);
    if (std::ranges::none_of(all, [&](const Interval& each) { return each.has(number); })) continue;
    ranks.insert(ranks.end(), roles[i].ranks.begin(), roles[i].ranks.end());
  }
  return ofAnyRank(journal, united(std::move(ranks)));
}

// Searches again if the journal has grown.
EventFilter::Test testOfDivergences(const Journal& journal) {
  const auto search = std::make_shared<DivergenceSearch>(journal);
  return [search, events = std::vector<EventId>()](EventId id, const Event&) mutable {
    if (!search->isComplete()) {
      search->search();
      events.clear();
      for (const auto& each : search->found()) {
        events.insert(events.end(), {each.most.event, each.other.event});
      }
      std::ranges::sort(events);
    }
    return std::ranges::binary_search(events, id);
  };
}

}  // namespace shardlens
