#include "core/view/decisions.h"

#include "core/trace/records/lookup_record.h"

#include <algorithm>

namespace shardlens::view {
namespace {

// What makes decisions of a kind, and where they are remembered.
struct Decisions {
  std::string_view name;
  EventKind explains;
  const CacheState& cache;
};

bool isHit(const Journal& journal, const Event& event, const Decisions& table) {
  return event.kind == EventKind::CacheLookup && event.verdict == Verdict::Hit &&
         journal.name(event) == table.name;
}

// What an entry remembers was explained right after the miss that made the entry.
EventId remembered(const Journal& journal, const Decisions& table, EventId hit) {
  const std::string key = readLookup(journal.detail(journal.at(hit))).key;
  const auto& entries = table.cache.entries;
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const CacheEntry& each) { return each.key == key; });
  if (entry == entries.end() || entry->firstUse >= hit) {
    return 0;
  }
  const EventId call = journal.at(entry->firstUse).parent;
  for (EventId id = entry->firstUse + 1; id < hit; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < call) {
      break;
    }
    if (event.kind == table.explains && event.parent == call) {
      return id;
    }
  }
  return 0;
}

// The newest decision down to `first`, of those that `belongs` admits.
template <class Belongs>
Decision newest(const Journal& journal, const Decisions& table, EventId position, EventId first,
                Belongs belongs) {
  for (EventId id = position; id > first; --id) {
    const Event& event = journal.at(id);
    const bool hit = isHit(journal, event, table);
    if ((hit || event.kind == table.explains) && belongs(event.parent)) {
      return {hit ? remembered(journal, table, id) : id, event.parent, hit ? id : 0, false};
    }
  }
  return {};
}

template <class Belongs>
Decision decisionOf(const Journal& journal, const Decisions& table, EventId position,
                    Belongs belongsTo) {
  if (const EventId call = currentCall(journal, position); call != 0) {
    Decision own = newest(journal, table, position, call,
                          [&](EventId subject) { return belongsTo(subject, call); });
    if (own.subject != 0) {
      own.isCurrent = true;
      return own;
    }
  }
  return newest(journal, table, position, 0, [](EventId) { return true; });
}

}  // namespace

EventId currentCall(const Journal& journal, EventId position) {
  EventId redistribution = 0;
  for (EventId id = position; id != 0; id = journal.at(id).parent) {
    const EventKind kind = journal.at(id).kind;
    if (kind == EventKind::Operator) {
      return id;
    }
    redistribution = kind == EventKind::Redistribute ? id : redistribution;
  }
  return redistribution;
}

Decision strategyDecision(const Journal& journal, const Snapshot& snapshot) {
  return decisionOf(journal, {"strategy", EventKind::Candidates, snapshot.strategyCache},
                    snapshot.position,
                    [](EventId subject, EventId call) { return subject == call; });
}

Decision planDecision(const Journal& journal, const Snapshot& snapshot) {
  return decisionOf(journal, {"plan", EventKind::Plan, snapshot.planCache}, snapshot.position,
                    [&](EventId subject, EventId call) {
                      return subject != 0 && currentCall(journal, subject) == call;
                    });
}

}  // namespace shardlens::view
