#pragma once

#include "core/model/event.h"

#include <map>
#include <span>
#include <vector>

namespace shardlens {

// The number of events in a full block.
inline constexpr EventId kBlockEvents = 1024;

// The events first, first + 1, ...: at most kBlockEvents, unless stated otherwise.
struct EventBlock {
  EventId first = 0;
  std::vector<Event> events = {};
  std::vector<TensorId> inputs = {};  // of all events, concatenated

  void add(const Event& event, std::span<const TensorId> its) {
    events.push_back(event);
    inputs.insert(inputs.end(), its.begin(), its.end());
  }
  // Calls use(id, event, inputs of the event) in order.
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

// Returns the first event of the block that contains this event.
EventId blockOf(EventId id);

// The blocks of events that can still change: a block is done when it is full and all its spans
// have ended. Few blocks are open: the last one, and those that contain running spans.
class OpenBlocks {
 public:
  // Appends the next event. Throws CheckFailed unless id is last() + 1 and event.inputs is the
  // number of `inputs`.
  void append(EventId id, const Event& event, std::span<const TensorId> inputs);
  // Sets Event::exposed of a span. Throws CheckFailed if it is not running here.
  void setExposed(EventId id, std::int64_t exposed);
  // Sets the duration of a span. Throws CheckFailed if it is not running here.
  void end(EventId id, std::int64_t duration);
  // Skips the events up to `id`; they are stored elsewhere. Throws CheckFailed unless `id` is after
  // last() and the last of a full block.
  void skip(EventId id);

  // Returns the open block that contains the event. Throws CheckFailed if it was taken.
  const EventBlock& block(EventId id) const;
  // Returns the event. Throws CheckFailed if its block was taken.
  const Event& at(EventId id) const;
  std::size_t size() const { return blocks_.size(); }
  EventId last() const { return last_; }

  // Returns the blocks that changed since the last call: copies of the open ones, and those that
  // are done, which it removes.
  std::vector<EventBlock> takeChanged();
  // Removes and returns only the blocks that are done.
  std::vector<EventBlock> takeDone();

 private:
  struct Block {
    EventBlock content;
    int running = 0;  // spans that have not ended
    bool changed = true;

    bool isDone() const;
  };
  Block& find(EventId id);
  Event& running(Block& block, EventId id);

  std::map<EventId, Block> blocks_;  // by their first event
  EventId last_ = 0;
};

}  // namespace shardlens
