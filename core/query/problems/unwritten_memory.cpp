#include "core/query/problems/unwritten_memory.h"

#include "core/model/operator_words.h"
#include "core/query/language/event_around.h"

namespace shardlens {

bool allocates(const Journal& journal, EventId id) {
  if (aroundOf(journal, id, EventKind::Redistribute) != 0) return false;
  const EventId call = aroundOf(journal, id, EventKind::Operator);
  if (call == 0) return journal.name(journal.at(id)) == "empty";
  return isAllocation(wordOf(journal.name(journal.at(call))));
}

bool isOfMemoryView(const Journal& journal, EventId id) {
  const EventId call = aroundOf(journal, id, EventKind::Operator);
  return call != 0 && isMemoryView(wordOf(journal.name(journal.at(call))));
}

}  // namespace shardlens
