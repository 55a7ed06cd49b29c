#pragma once

#include "core/model/event.h"

#include <map>
#include <vector>

namespace shardlens {

// The events first, first + 1, ... as one row of a recording holds them.
struct EventBlock {
  EventId first = 0;
  std::vector<Event> events;
};

// Events on their way to the file, cut into blocks. Keeps a block only as long as it can change:
// until it is full, all its spans have ended, and it was taken in that state.
class EventBlocks {
 public:
  void append(EventId id, const Event& event);
  void end(EventId id, const Event& event);

  bool changed() const { return changed_; }
  // The blocks that changed since the last call.
  std::vector<EventBlock> take();
  std::size_t kept() const { return blocks_.size(); }

 private:
  struct Block {
    EventBlock content;
    int running = 0;
    bool changed = true;
  };
  Block& blockOf(EventId id);

  std::map<EventId, Block> blocks_;  // by first
  EventId last_ = 0;
  bool changed_ = false;
};

}  // namespace shardlens
