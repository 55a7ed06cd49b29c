#include "core/trace/snapshot/events_by.h"

#include <algorithm>

namespace shardlens {

namespace {

constexpr auto kNone = ~std::size_t{0};

EventId lastOf(EventId block) { return block + kBlockEvents - 1; }

}  // namespace

EventsBy::Events& EventsBy::eventsOf(std::uint32_t key) {
  Recent& recent = recent_[key % recent_.size()];
  if (recent.events == nullptr || recent.key != key) recent = {key, &events_[key]};
  return *recent.events;
}

void EventsBy::add(EventId id, const Event& event) {
  Events& events = eventsOf(keyOf_(event));
  const EventId block = blockOf(id);
  if (events.blocks.empty() || events.blocks.back().first != block) {
    events.blocks.push_back({block, events.all});
  }
  ++events.all;
}

std::size_t EventsBy::blockAt(const Events& events, EventId position) const {
  const auto next =
      std::partition_point(events.blocks.begin(), events.blocks.end(),
                           [&](const Block& block) { return block.first <= position; });
  return next == events.blocks.begin() ? kNone
                                       : static_cast<std::size_t>(next - events.blocks.begin()) - 1;
}

EventId EventsBy::newest(std::uint32_t key, EventId position) const {
  const auto found = events_.find(key);
  if (found == events_.end()) return 0;
  const Events& events = found->second;
  for (auto number = blockAt(events, position); number != kNone; --number) {
    const EventId first = events.blocks[number].first;
    for (EventId id = std::min(position, lastOf(first)); id >= first; --id) {
      if (id <= journal_.size() && has(key, id)) return id;
    }
  }
  return 0;
}

EventId EventsBy::next(std::uint32_t key, EventId position) const {
  const auto found = events_.find(key);
  if (found == events_.end()) return 0;
  const Events& events = found->second;
  const auto before = blockAt(events, position);
  for (auto number = before == kNone ? 0 : before; number < events.blocks.size(); ++number) {
    const EventId first = events.blocks[number].first;
    const EventId last = std::min(lastOf(first), journal_.size());
    for (EventId id = std::max(position + 1, first); id <= last; ++id) {
      if (has(key, id)) return id;
    }
  }
  return 0;
}

std::uint32_t EventsBy::count(std::uint32_t key, EventId position) const {
  const auto found = events_.find(key);
  if (found == events_.end()) return 0;
  const auto number = blockAt(found->second, position);
  if (number == kNone) return 0;
  const auto& [first, before] = found->second.blocks[number];
  std::uint32_t count = before;
  for (EventId id = first; id <= std::min({position, lastOf(first), journal_.size()}); ++id) {
    count += has(key, id) ? 1 : 0;
  }
  return count;
}

}  // namespace shardlens
