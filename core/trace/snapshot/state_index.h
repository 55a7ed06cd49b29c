#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/events_by.h"
#include "core/trace/snapshot/snapshot.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Computes the snapshot at any position of a journal, which may still grow. Each event is indexed
// once: state changes are stored with their position, and totals per block of events. A snapshot is
// then a set of searches, equally fast in both directions. This class alone defines what each kind
// of event changes. Not thread safe.
class StateIndex {
 public:
  // `journal` must outlive this object.
  explicit StateIndex(const Journal& journal);

  // Indexes all new events, and returns the snapshot at `position`, or at the last event if that is
  // smaller. Position 0 is the state before the first event.
  Snapshot at(EventId position);
  // Indexes at most `most` new events. Returns true if more remain.
  bool takeIn(EventId most);
  EventId size() const { return known_; }  // the number of indexed events

  // Indexes of the events by kind, by step, and by ranks (the string id in Event::ranks), up to
  // size().
  const EventsBy& byKind() const { return byKind_; }
  const EventsBy& byStep() const { return byStep_; }
  const EventsBy& byRanks() const { return byRanks_; }

 private:
  struct CacheTotals {
    int hits = 0;
    int misses = 0;
  };
  // Sums over all events up to a position.
  struct Totals {
    CacheTotals strategyCache;
    CacheTotals planCache;
    std::int64_t bytesMoved = 0;
    TensorId focus = 0;
  };

  void takeIn(EventId id, const Event& event);
  void add(Totals& totals, EventId id, const Event& event) const;
  Totals totalsAt(EventId position) const;
  EventId newestHit(CacheTotals Totals::*cache, EventId position, const Totals& totals) const;
  void cacheLookup(EventId id, const Event& event);
  void maskApplied(EventId id, const Event& event);
  void maskReleased(EventId id, const Event& event);
  void result(EventId id, const Event& event);
  const std::string& holder(const Event& event);

  const Journal& journal_;
  std::shared_ptr<Histories> histories_ = std::make_shared<Histories>();
  EventId known_ = 0;                                  // indexed events
  std::vector<Totals> totals_;                         // the totals before each block
  Totals newest_;                                      // after the last indexed event
  std::unordered_map<StringId, std::string> holders_;  // parsed holders, by detail
  EventsBy byKind_;
  EventsBy byStep_;
  EventsBy byRanks_;
};

}  // namespace shardlens
