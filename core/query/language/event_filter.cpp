#include "core/query/language/event_filter.h"

#include "core/model/rank_selector.h"
#include "core/query/language/event_tests.h"
#include "core/query/language/query_fields.h"
#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>

namespace shardlens {

std::optional<QueryMistake> checkRanks(const Query& query, const Journal& journal) {
  for (const Term& term : query) {
    const FieldInfo* field = findField(term.field);
    if (field == nullptr || field->field != Field::Rank) continue;
    if (!selectsByAxis(term.values.front())) continue;
    const auto ranks = selectRanks(term.values.front(), recordedMesh(journal));
    if (!ranks) return QueryMistake{term.at, term.length, "rank: " + ranks.error().message};
  }
  return std::nullopt;
}

tl::expected<Query, QueryMistake> parseQuery(std::string_view text, const Journal& journal) {
  auto query = parseQuery(text);
  if (query) {
    if (auto mistake = checkRanks(*query, journal)) return tl::unexpected(std::move(*mistake));
  }
  return query;
}

EventFilter::EventFilter(const Journal& journal, const Query& query) : journal_(journal) {
  for (const Term& term : query) {
    terms_.push_back({makeEventTest(journal, term), term.isNot});
    if (auto ofBlock = makeBlockTest(term, terms_.back().test)) {
      blockTests_.push_back(std::move(ofBlock));
    }
  }
}

EventFilter::~EventFilter() = default;

bool EventFilter::matches(EventId id) const { return matches(id, journal_.at(id)); }

bool EventFilter::matches(EventId id, const Event& event) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const TermTest& term) { return term.test(id, event) != term.isNot; });
}

// Returns true if the block of `id` is known to contain no match.
bool EventFilter::canSkipBlock(EventId id) const {
  const auto* summary = blockTests_.empty() ? nullptr : journal_.summaryOf(blockOf(id));
  return summary != nullptr &&
         !std::all_of(blockTests_.begin(), blockTests_.end(),
                      [&](const BlockTest& blockTest) { return blockTest(*summary); });
}

EventId EventFilter::next(EventId after, EventId last) const {
  bool isFirst = true;
  last = std::min(last, journal_.size());
  for (EventId id = after + 1; id <= last; ++id) {
    if ((isFirst || blockOf(id) == id) && canSkipBlock(id)) {
      id = blockOf(id) + kBlockEvents - 1;
    } else if (matches(id)) {
      return id;
    }
    isFirst = false;
  }
  return 0;
}

EventId EventFilter::previous(EventId before, EventId first) const {
  bool isFirst = true;
  for (EventId id = std::min(before, journal_.size() + 1); id-- > first;) {
    if ((isFirst || id % kBlockEvents == 0) && canSkipBlock(id)) {
      id = blockOf(id);
    } else if (matches(id)) {
      return id;
    }
    isFirst = false;
  }
  return 0;
}

}  // namespace shardlens
