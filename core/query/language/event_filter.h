#pragma once

#include "core/query/language/query.h"
#include "core/trace/journal/journal.h"

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace shardlens {

// Returns an error for ranks that are selected by coordinates which the mesh of the journal does
// not have, else nullopt. Such terms match no event.
std::optional<QueryMistake> checkRanks(const Query& query, const Journal& journal);
// Parses a query of this journal: as parseQuery() and checkRanks().
tl::expected<Query, QueryMistake> parseQuery(std::string_view text, const Journal& journal);

// Selects the events of a journal that match a query. The journal may grow. Results per text, spec
// and site are cached, so most events need integer comparisons only. Blocks whose summary excludes
// the query's kinds or steps are skipped. Not thread-safe, because const functions fill the caches.
class EventFilter {
 public:
  // Keeps a reference to the journal. `query` must come from parseQuery().
  EventFilter(const Journal& journal, const Query& query);
  ~EventFilter();

  // Returns true if the event matches all terms.
  bool matches(EventId id) const;
  // Return the next match in (after, last], or the previous one in [first, before); 0 if there is
  // none. Bounds limit the work per call.
  EventId next(EventId after, EventId last = std::numeric_limits<EventId>::max()) const;
  EventId previous(EventId before, EventId first = 1) const;

  // A predicate for one term, without its minus.
  using Test = std::function<bool(EventId, const Event&)>;
  // Returns false if no event of the block can match.
  using BlockTest = std::function<bool(const BlockSummary&)>;

 private:
  // A term's predicate and whether it is negated.
  struct TermTest {
    Test test;
    bool isNot;
  };
  bool matches(EventId id, const Event& event) const;
  bool canSkipBlock(EventId id) const;

  const Journal& journal_;
  std::vector<TermTest> terms_;
  std::vector<BlockTest> blockTests_;
};

}  // namespace shardlens
