#include "core/trace/journal/event_pages.h"

#include "core/base/check.h"
#include "core/trace/journal/packed_events.h"

#include <utility>

namespace shardlens {

namespace {

std::size_t numberOf(EventId first) { return (first - 1) / kBlockEvents; }

}  // namespace

Event EventPages::at(EventId id) const {
  SL_CHECK(id >= 1 && id <= size_, "the event has come");
  const EventId first = blockOf(id);
  const std::size_t block = numberOf(first);
  if (packed_[block].empty()) return open_.at(id);
  return unpacked(first).events[id - first];
}

const EventPages::Unpacked& EventPages::unpacked(EventId first) const {
  const std::size_t block = numberOf(first);
  Unpacked& page = unpacked_[block % kUnpacked];
  if (page.first == first) return page;
  page.first = 0;
  page.events.resize(kBlockEvents);
  SL_CHECK(unpackEvents(first, packed_[block], page.events), "a block is whole");
  page.first = first;
  return page;
}

void EventPages::append(const Event& event) {
  ++size_;
  if (blockOf(size_) == size_) packed_.emplace_back();
  open_.append(size_, event);
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

void EventPages::packDone() {
  for (const auto& block : open_.takeDone()) {
    packed_[numberOf(block.first)] = packEvents(block.first, block.events);
  }
}

}  // namespace shardlens
