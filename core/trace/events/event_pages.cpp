#include "core/trace/events/event_pages.h"

#include "core/base/check.h"
#include "core/trace/events/packed_events.h"

#include <algorithm>
#include <utility>

namespace shardlens {

namespace {

std::size_t numberOf(EventId first) { return (first - 1) / kBlockEvents; }

}  // namespace

const EventBlock EventPages::kNone;

Event EventPages::find(EventId id) const {
  const EventBlock& found = block(id);
  return found.events[id - found.first];
}

std::vector<TensorId> EventPages::inputs(EventId id) const {
  const EventBlock& found = block(id);
  const std::size_t count = found.events[id - found.first].inputs;
  if (count == 0) return {};
  const auto its = inputsFrom(found, id).first(count);
  return {its.begin(), its.end()};
}

EventPages::Run EventPages::runFrom(EventId id) const {
  const EventBlock& found = block(id);
  return {std::span(found.events).subspan(id - found.first), inputsFrom(found, id)};
}

std::span<const TensorId> EventPages::inputsFrom(const EventBlock& block, EventId id) const {
  InputsPlace& at = inputsPlace_;
  if (at.event < block.first || at.event > id) at = {block.first, 0};
  for (; at.event < id; ++at.event) at.before += block.events[at.event - block.first].inputs;
  return std::span(block.inputs).subspan(at.before);
}

// Returns the block of an event: the open one, or a decompressed one from the cache. A large block
// is moved to `large_`, so that it does not stay in the cache.
const EventBlock& EventPages::block(EventId id) const {
  SL_CHECK(id >= 1 && id <= size_, "the event has come");
  const EventId first = blockOf(id);
  const std::size_t number = numberOf(first);
  if (packed_[number].empty()) return open_.block(id);
  EventBlock* page = large_.first == first ? &large_ : &unpacked_[number % unpacked_.size()];
  if (page->first != first) {
    last_ = &kNone;
    page->first = 0;
    page->events.resize(std::min(kBlockEvents, size_ - first + 1));
    SL_CHECK(unpackEvents(packed_[number], first, *page), "a block is whole");
    if (page->inputs.size() > kMostInputs) {
      large_ = std::exchange(*page, {});
      page = &large_;
    }
  }
  last_ = page;
  return *page;
}

void EventPages::cacheBlocks(std::size_t most) const {
  last_ = &kNone;
  unpacked_ = std::vector<EventBlock>(most);
}

void EventPages::append(const Event& event, std::span<const TensorId> inputs) {
  ++size_;
  if (blockOf(size_) == size_) packed_.emplace_back();
  open_.append(size_, event, inputs);
  if (size_ % kBlockEvents == 0) packDone();
}

void EventPages::append(std::vector<std::byte> packed) {
  SL_CHECK(size_ % kBlockEvents == 0, "a whole block follows a whole one");
  packed_.push_back(std::move(packed));
  size_ += kBlockEvents;
  open_.skip(size_);
}

void EventPages::end(EventId id, std::int64_t duration) {
  open_.end(id, duration);
  packDone();
}

void EventPages::seal() {
  for (const auto& block : open_.takeChanged()) packed_[numberOf(block.first)] = packEvents(block);
  open_ = OpenBlocks();
}

void EventPages::packDone() {
  for (const auto& block : open_.takeDone()) {
    packed_[numberOf(block.first)] = packEvents(block);
  }
}

}  // namespace shardlens
