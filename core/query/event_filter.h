#pragma once

#include "core/query/query.h"
#include "core/trace/journal/journal.h"

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace shardlens {

// Which events of a journal, which may still grow, are those that a query asks for. What a text,
// a tensor's layout or a site has to do with a term is looked at once, so that of most events only
// numbers are compared; and of a block of events that has none of a kind or step, none.
class EventFilter {
 public:
  // The journal must outlive it.
  EventFilter(const Journal& journal, const Query& query);
  ~EventFilter();

  bool matches(EventId id) const;
  // The next one after an event, up to the last that is looked at, and the newest before one, down
  // to the first; 0 where there is none.
  EventId next(EventId after, EventId last = std::numeric_limits<EventId>::max()) const;
  EventId previous(EventId before, EventId first = 1) const;

  // Of one term: whether it holds for an event.
  using Test = std::function<bool(EventId, const Event&)>;
  using BlockTest = std::function<bool(const BlockSummary&)>;

 private:
  struct Asked {
    Test test;
    bool isNot;
  };
  bool matches(EventId id, const Event& event) const;
  bool isBlockOut(EventId id) const;

  const Journal& journal_;
  std::vector<Asked> asked_;
  std::vector<BlockTest> asksBlocks_;
};

}  // namespace shardlens
