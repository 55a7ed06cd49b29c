#pragma once

#include "core/trace/journal/journal.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shardlens {

// An index of a journal's events by a key (kind, step, ranks). It stores, for each key and block
// with such events, how many come before the block. A lookup takes logarithmic time in the blocks,
// plus reading one block.
class EventsBy {
 public:
  using Key = std::uint32_t (*)(const Event&);

  // `journal` must outlive this object. `key` returns the key of an event.
  EventsBy(const Journal& journal, Key key) : journal_(journal), keyOf_(key) {}

  // Adds the next event. Events must be added in order.
  void add(EventId id, const Event& event);

  // Return the nearest event with this key at or before the position, or after it; 0 if there is
  // none.
  EventId newest(std::uint32_t key, EventId position) const;
  EventId next(std::uint32_t key, EventId position) const;
  // Returns the number of events with this key up to the position.
  std::uint32_t count(std::uint32_t key, EventId position) const;

 private:
  struct Block {
    EventId first;
    std::uint32_t before;  // events with this key before the block
  };
  struct Events {
    std::vector<Block> blocks;
    std::uint32_t all = 0;
  };
  // Caches the last lookups, because keys repeat soon.
  struct Recent {
    std::uint32_t key = 0;
    Events* events = nullptr;
  };

  Events& eventsOf(std::uint32_t key);
  // Returns the last block with such events that begins at or before the position; ~0 if there is
  // none.
  std::size_t blockAt(const Events& events, EventId position) const;
  bool has(std::uint32_t key, EventId id) const { return keyOf_(journal_.at(id)) == key; }

  const Journal& journal_;
  Key keyOf_;
  std::unordered_map<std::uint32_t, Events> events_;
  std::array<Recent, 16> recent_{};
};

}  // namespace shardlens
