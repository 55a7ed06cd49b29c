#include "core/trace/events/open_blocks.h"

#include "core/base/check.h"

#include <utility>

namespace shardlens {

EventId blockOf(EventId id) { return id - (id - 1) % kBlockEvents; }

bool OpenBlocks::Block::isDone() const {
  return content.events.size() == kBlockEvents && running == 0;
}

OpenBlocks::Block& OpenBlocks::find(EventId id) {
  const auto found = blocks_.find(blockOf(id));
  SL_CHECK(found != blocks_.end(), "a span that ends has begun, and ends once");
  return found->second;
}

const EventBlock& OpenBlocks::block(EventId id) const {
  const auto found = blocks_.find(blockOf(id));
  SL_CHECK(found != blocks_.end(), "the event can change yet");
  return found->second.content;
}

const Event& OpenBlocks::at(EventId id) const {
  const EventBlock& found = block(id);
  return found.events.at(id - found.first);
}

void OpenBlocks::append(EventId id, const Event& event, std::span<const TensorId> inputs) {
  SL_CHECK(event.inputs == inputs.size(), "the number of inputs is that of the event");
  SL_CHECK(id == last_ + 1, "events come in the order of their ids");
  last_ = id;
  if (blockOf(id) == id) {
    auto& content = blocks_[id].content;
    content.first = id;
    content.events.reserve(kBlockEvents);
  }
  Block& block = find(id);
  block.content.add(event, inputs);
  if (event.duration == Event::kRunning) ++block.running;
  block.changed = true;
}

void OpenBlocks::skip(EventId id) {
  SL_CHECK(id > last_ && id % kBlockEvents == 0, "whole blocks are skipped");
  last_ = id;
}

Event& OpenBlocks::running(Block& block, EventId id) {
  Event& event = block.content.events.at(id - block.content.first);
  SL_CHECK(event.duration == Event::kRunning, "a span that ends has begun, and ends once");
  return event;
}

void OpenBlocks::setExposed(EventId id, std::int64_t exposed) {
  Block& block = find(id);
  running(block, id).exposed = exposed;
  block.changed = true;
}

void OpenBlocks::end(EventId id, std::int64_t duration) {
  Block& block = find(id);
  SL_CHECK(duration != Event::kRunning, "a span that ends has a duration");
  running(block, id).duration = duration;
  --block.running;
  block.changed = true;
}

std::vector<EventBlock> OpenBlocks::takeChanged() {
  auto taken = takeDone();
  for (auto& [first, block] : blocks_) {
    if (std::exchange(block.changed, false)) taken.push_back(block.content);
  }
  return taken;
}

std::vector<EventBlock> OpenBlocks::takeDone() {
  std::vector<EventBlock> taken;
  for (auto place = blocks_.begin(); place != blocks_.end();) {
    const bool done = place->second.isDone();
    if (done) taken.push_back(std::move(place->second.content));
    place = done ? blocks_.erase(place) : std::next(place);
  }
  return taken;
}

}  // namespace shardlens
