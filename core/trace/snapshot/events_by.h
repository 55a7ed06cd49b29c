#pragma once

#include "core/trace/journal/journal.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The events of a journal that have something in common (their kind, their step, the ranks that did
// it), told by a key. It keeps how many there are before each block that has some, so that the next
// one and the one before are found in the logarithm of the blocks, and the reading of one.
class EventsBy {
 public:
  using Key = std::uint32_t (*)(const Event&);

  // The journal must outlive it.
  EventsBy(const Journal& journal, Key key) : journal_(journal), keyOf_(key) {}

  // Events come in order.
  void add(EventId id, const Event& event);

  // At a position or before it, and after it; 0 where there is none.
  EventId newest(std::uint32_t key, EventId position) const;
  EventId next(std::uint32_t key, EventId position) const;
  std::uint32_t count(std::uint32_t key, EventId position) const;

 private:
  struct Block {
    EventId first;
    std::uint32_t before;  // so many came before it
  };
  struct Events {
    std::vector<Block> blocks;
    std::uint32_t all = 0;
  };
  // The one asked for last under a key is asked for soon again.
  struct Recent {
    std::uint32_t key = 0;
    Events* events = nullptr;
  };

  Events& eventsOf(std::uint32_t key);
  // The last block with some that begins at a position or before it.
  std::size_t blockAt(const Events& events, EventId position) const;
  bool has(std::uint32_t key, EventId id) const { return keyOf_(journal_.at(id)) == key; }

  const Journal& journal_;
  Key keyOf_;
  std::unordered_map<std::uint32_t, Events> events_;
  std::array<Recent, 16> recent_{};
};

}  // namespace shardlens
