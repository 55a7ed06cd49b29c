#include "core/query/problems/unwritten_memory.h"

#include "core/model/operator_words.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/last_writes.h"

namespace shardlens {
namespace {

bool allocates(const Journal& journal, EventId id, EventId call) {
  if (aroundOf(journal, id, EventKind::Redistribute) != 0) return false;
  if (call == 0) return journal.name(journal.at(id)) == "empty";
  return isAllocation(wordOf(journal.name(journal.at(call))));
}

}  // namespace

bool UnwrittenMemory::follow(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  const EventId call = aroundOf(journal, id, EventKind::Operator);
  if (allocates(journal, id, call)) {
    if (event.kind == EventKind::Result) allocations_[event.subject] = id;
    return true;
  }
  if (call == 0 || !isMemoryView(wordOf(journal.name(journal.at(call))))) return false;
  for (const TensorId input : inputsOf(journal, id)) {
    const EventId allocation = allocationOf(input);
    if (allocation == 0) continue;
    allocations_.emplace(event.subject, allocation);
    return true;
  }
  return false;
}

EventId UnwrittenMemory::allocationOf(TensorId tensor) const {
  const auto known = allocations_.find(tensor);
  return known == allocations_.end() ? 0 : known->second;
}

}  // namespace shardlens
