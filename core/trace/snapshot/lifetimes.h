#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlens {

// The lifetimes of objects such as cache entries and buffer holders, numbered 0, 1, 2, ... in the
// order of creation. at() skips blocks of objects that ended before the position.
class Lifetimes {
 public:
  // Begins a lifetime and returns its number. Events must be added in order.
  std::uint32_t begin(EventId at);
  // Ends a lifetime, which must be open.
  void end(std::uint32_t number, EventId at);

  // The number of all lifetimes, ended ones included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  EventId begunAt(std::uint32_t number) const { return all_[number].begin; }
  // Returns the lifetime that began with this event; nullopt if there is none.
  std::optional<std::uint32_t> find(EventId begin) const;
  bool isOpen(std::uint32_t number) const { return all_[number].end == 0; }
  // Return the lifetimes that are open now, or at a position, ascending. An object that ends at an
  // event is no longer open at it.
  const std::vector<std::uint32_t>& open() const { return open_; }
  std::vector<std::uint32_t> at(EventId position) const;
  // Returns how many lifetimes began up to a position.
  std::uint32_t begunBy(EventId position) const;

 private:
  static constexpr std::uint32_t kBlock = 64;
  struct Lifetime {
    EventId begin;
    EventId end = 0;  // 0: open
  };
  // A summary of kBlock consecutive lifetimes.
  struct Block {
    std::uint32_t open = 0;
    EventId lastEnd = 0;
  };

  std::vector<Lifetime> all_;
  std::vector<std::uint32_t> open_;
  std::vector<Block> blocks_;
  EventId changed_ = 0;  // the newest begin or end
};

}  // namespace shardlens
