#pragma once

#include "core/query/problems/unwritten_memory.h"
#include "core/trace/journal/journal.h"

#include <deque>
#include <map>
#include <vector>

namespace shardlens {

// An event whose result has NaN or infinities that none of its sources has.
struct NotFinite {
  EventId event = 0;
  std::vector<int> ranks = {};  // those that have one, ascending
  bool isNegative = false;      // -inf; if both, -inf counts
  bool isGiven = false;         // not computed: the program created it, or filled it in
  // The first event that read the uninitialised memory that `event` allocated; 0: it is written.
  EventId reader = 0;
  // For NaN: the event that made the infinity of a source; 0 if all sources are finite. For
  // infinity: the first event that made NaN of it; 0 if none did.
  EventId other = 0;
};

// Returns true if no element was NaN or an infinity.
bool isFinite(const Statistics& statistics);

// Finds the events that make NaN and infinities, in order of events. Follows values through
// operators and redistributions, so that only the first event counts. Delays each event, because
// values may arrive after their event. A result without captured values counts as finite. Results
// of aten.empty and its variants, and views of them, count when an operator reads them before
// anything is written to them.
class FiniteValues {
 public:
  struct Findings {
    std::vector<NotFinite> nans = {};
    std::vector<NotFinite> infinities = {};
  };

  // `delay`: the number of further events after which the values of an event have arrived. Keeps a
  // reference to the journal.
  FiniteValues(const Journal& journal, EventId delay) : journal_(journal), delay_(delay) {}

  void take(EventId id, const Event& event);
  // Returns the findings of all events taken so far, provisional ones included.
  Findings findings() const;

 private:
  // The events that made the NaN and the infinity of a tensor; 0: it has none.
  struct Origins {
    EventId nan = 0;
    EventId infinity = 0;
    EventId allocation = 0;  // of an input that is not written
  };
  struct State {
    std::map<TensorId, Origins> of = {};
    UnwrittenMemory unwritten = {};
    Findings findings = {};
  };

  void judgeUntil(EventId last, State& state) const;
  void judge(EventId id, bool hasNan, State& state) const;
  void judgeNan(EventId id, const Origins& sources, State& state) const;
  void judgeInfinity(EventId id, EventId allocation, State& state) const;
  bool isGiven(EventId id) const;
  bool overwrites(EventId id) const;
  bool isFiniteAt(EventId id) const;
  bool hasInfinityAt(EventId id) const;
  Origins sourcesOf(EventId id, const State& state) const;

  const Journal& journal_;
  EventId delay_;
  EventId seen_ = 0;
  EventId judged_ = 0;           // events up to here were judged finally
  std::deque<EventId> results_;  // Result events after judged_
  State state_;
};

}  // namespace shardlens
