#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/events_by.h"
#include "core/trace/snapshot/snapshot.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Gives the snapshot at any position of a journal that may still grow. Each event is taken in once:
// what it changes is noted with the position from which it is so, and what it adds up to is kept
// for every block of events. So a state is a search over what is looked at, and going back costs
// what going forward does. What each kind of event changes is said here and nowhere else.
class StateIndex {
 public:
  // The journal must outlive it.
  explicit StateIndex(const Journal& journal);

  // Past the end it is the last position.
  Snapshot at(EventId position);
  // Takes in so many events that are not taken in yet; false: it knows them all.
  bool takeIn(EventId most);
  EventId size() const { return known_; }  // so many are

  // The events of a kind, of a step, and of the ranks that a text names (Event::ranks), as far as
  // they are taken in.
  const EventsBy& byKind() const { return byKind_; }
  const EventsBy& byStep() const { return byStep_; }
  const EventsBy& byRanks() const { return byRanks_; }

 private:
  struct CacheTotals {
    int hits = 0;
    int misses = 0;
  };
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
  EventId known_ = 0;           // the events up to here are taken in
  std::vector<Totals> totals_;  // before each block of events
  Totals newest_;
  std::unordered_map<StringId, std::string> holders_;  // by detail: each is read once
  EventsBy byKind_;
  EventsBy byStep_;
  EventsBy byRanks_;
};

}  // namespace shardlens
