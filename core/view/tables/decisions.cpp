#include "core/view/tables/decisions.h"

namespace shardlens::view {
namespace {

// A kind of decision: its cache, and the events that explain it.
struct Decisions {
  CacheTable table;
  EventKind explains;
};

bool isHit(const Event& event, const Decisions& decisions) {
  return event.kind == EventKind::CacheLookup && event.verdict == Verdict::Hit &&
         event.cache() == decisions.table;
}

// Returns the event that explains a cached entry. It follows the miss that made the entry.
EventId remembered(const Journal& journal, const Decisions& decisions, EventId hit) {
  const EventId made = journal.at(hit).subject;
  if (made == 0) return 0;
  const EventId call = journal.at(made).parent;
  for (EventId id = made + 1; id < hit; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < call) break;
    if (event.kind == decisions.explains && event.parent == call) return id;
  }
  return 0;
}

// Returns the newest decision in (first, position] whose parent satisfies `belongs`.
template <class Belongs>
Decision newest(const Journal& journal, const Decisions& decisions, EventId position, EventId first,
                Belongs belongs) {
  for (EventId id = position; id > first; --id) {
    const Event& event = journal.at(id);
    const bool hit = isHit(event, decisions);
    if ((hit || event.kind == decisions.explains) && belongs(event.parent)) {
      return {hit ? remembered(journal, decisions, id) : id, event.parent, hit ? id : 0, false};
    }
  }
  return {};
}

template <class Belongs>
Decision decisionOf(const Journal& journal, const Decisions& decisions, EventId position,
                    EventId decided, Belongs belongsTo) {
  if (const EventId call = currentCall(journal, position); call != 0) {
    Decision own = newest(journal, decisions, decided, call,
                          [&](EventId subject) { return belongsTo(subject, call); });
    if (own.subject != 0) {
      own.isCurrent = true;
      return own;
    }
  }
  return newest(journal, decisions, decided, 0, [](EventId) { return true; });
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

bool isOfCurrentCall(const Journal& journal, EventId event, EventId position) {
  const EventId call = currentCall(journal, position);
  return call != 0 && currentCall(journal, event) == call;
}

Decision strategyDecision(const Journal& journal, EventId position, EventId decided) {
  return decisionOf(journal, {CacheTable::Strategy, EventKind::Candidates}, position, decided,
                    [](EventId subject, EventId call) { return subject == call; });
}

Decision planDecision(const Journal& journal, EventId position, EventId decided) {
  return decisionOf(journal, {CacheTable::Plan, EventKind::Plan}, position, decided,
                    [&](EventId subject, EventId call) {
                      return subject != 0 && currentCall(journal, subject) == call;
                    });
}

std::vector<std::string> tensorsAround(const Journal& journal, EventId position) {
  std::vector<std::string> names;
  const auto add = [&](TensorId id) {
    if (id != 0 && id <= journal.tensors()) names.push_back(journal.tensor(id).name);
  };
  for (EventId id = position; id != 0; id = journal.at(id).parent) {
    add(journal.at(id).subject);
    for (const TensorId input : journal.inputs(id)) add(input);
  }
  return names;
}

}  // namespace shardlens::view
