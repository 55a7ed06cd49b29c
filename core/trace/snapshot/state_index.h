#pragma once

#include "core/trace/journal/journal.h"
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

 private:
  struct CacheTotals {
    int hits = 0;
    int misses = 0;
  };
  struct Totals {
    CacheTotals strategyCache;
    CacheTotals planCache;
    std::int64_t bytesMoved = 0;

    void add(const Journal& journal, const Event& event);
  };

  void takeIn(EventId id, const Event& event);
  Totals totalsAt(EventId position) const;
  void cacheLookup(EventId id, const Event& event);
  void maskMaterialized(EventId id, const Event& event);
  void maskApplied(EventId id, const Event& event);
  void maskReleased(EventId id, const Event& event);
  void result(EventId id, const Event& event);

  BufferState* liveBufferOf(TensorId mask);
  void hold(BufferId buffer, TensorId tensor);
  void letGo(EventId id, BufferState& buffer);
  const std::vector<std::string>& holders(const Event& event);

  const Journal& journal_;
  std::shared_ptr<Histories> histories_ = std::make_shared<Histories>();
  EventId known_ = 0;           // the events up to here are taken in
  std::vector<Totals> totals_;  // before each block of events
  Totals newest_;
  std::vector<EventId> errors_;
  std::unordered_map<TensorId, std::vector<BufferId>> buffersOfMask_;
  std::unordered_map<StringId, std::vector<std::string>> holders_;  // by detail: each is read once
};

}  // namespace shardlens
