#pragma once

#include "core/model/event.h"

#include <map>
#include <span>
#include <vector>

namespace shardlens {

inline constexpr EventId kBlockEvents = 1024;

// The events first, first + 1, ...; at most kBlockEvents.
struct EventBlock {
  EventId first = 0;
  std::vector<Event> events = {};
  std::vector<TensorId> inputs = {};  // of one event after the other

  void add(const Event& event, std::span<const TensorId> its) {
    events.push_back(event);
    inputs.insert(inputs.end(), its.begin(), its.end());
  }
  // use(id, event, its inputs), in order.
  template <class Use>
  void forEach(const Use& use) const {
    EventId id = first;
    std::span<const TensorId> left = inputs;
    for (const Event& event : events) {
      use(id++, event, left.first(event.inputs));
      left = left.subspan(event.inputs);
    }
  }
};

// The first event of the block that this one is in.
EventId blockOf(EventId id);

// The newest events, cut into blocks, each as long as it can change: until it is full and all its
// spans have ended. They are few: the last one, and those in which the open spans began.
class OpenBlocks {
 public:
  void append(EventId id, const Event& event, std::span<const TensorId> inputs);
  void end(EventId id, std::int64_t duration);
  // The events up to this one, which ends a block, are kept elsewhere.
  void skip(EventId id);

  const EventBlock& block(EventId id) const;  // that the event is in
  std::size_t size() const { return blocks_.size(); }
  EventId last() const { return last_; }

  // The blocks that changed since the last call; those that cannot change any more go.
  std::vector<EventBlock> takeChanged();
  // Only those that cannot change any more.
  std::vector<EventBlock> takeDone();

 private:
  struct Block {
    EventBlock content;
    int running = 0;
    bool changed = true;

    bool isDone() const;
  };
  Block& find(EventId id);

  std::map<EventId, Block> blocks_;  // by first
  EventId last_ = 0;
};

}  // namespace shardlens
