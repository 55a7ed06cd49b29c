#include "core/trace/file/event_blocks.h"

#include "core/base/check.h"
#include "core/trace/file/trace_schema.h"

namespace shardlens {

namespace {

EventId firstOf(EventId id) { return id - (id - 1) % kBlockEvents; }

}  // namespace

EventBlocks::Block& EventBlocks::blockOf(EventId id) {
  const auto found = blocks_.find(firstOf(id));
  SL_CHECK(found != blocks_.end(), "a span that ends has begun, and ends once");
  return found->second;
}

void EventBlocks::append(EventId id, const Event& event) {
  SL_CHECK(id == last_ + 1, "events come in the order of their ids");
  last_ = id;
  if (firstOf(id) == id) {
    auto& content = blocks_[id].content;
    content.first = id;
    content.events.reserve(kBlockEvents);
  }
  Block& block = blockOf(id);
  block.content.events.push_back(event);
  if (event.duration == Event::kRunning) ++block.running;
  block.changed = changed_ = true;
}

void EventBlocks::end(EventId id, const Event& event) {
  Block& block = blockOf(id);
  block.content.events.at(id - block.content.first) = event;
  --block.running;
  block.changed = changed_ = true;
}

std::vector<EventBlock> EventBlocks::take() {
  std::vector<EventBlock> taken;
  for (auto place = blocks_.begin(); place != blocks_.end();) {
    Block& block = place->second;
    const bool done = block.content.events.size() == kBlockEvents && block.running == 0;
    if (done) {
      taken.push_back(std::move(block.content));
    } else if (block.changed) {
      taken.push_back(block.content);
    }
    block.changed = false;
    place = done ? blocks_.erase(place) : std::next(place);
  }
  changed_ = false;
  return taken;
}

}  // namespace shardlens
