#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlens {

// Things that come and go: entries of a cache, holders of a buffer. They are numbered 0, 1, 2, ...
// as they come. Those of a position are found without a look at most of those that went before it.
class Lifetimes {
 public:
  // Events come in order.
  std::uint32_t begin(EventId at);
  void end(std::uint32_t number, EventId at);

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }  // ever
  EventId begunAt(std::uint32_t number) const { return all_[number].begin; }
  // The one that came with this event.
  std::optional<std::uint32_t> find(EventId begin) const;
  bool isOpen(std::uint32_t number) const { return all_[number].end == 0; }
  // Those that are there now, and at a position, ascending.
  const std::vector<std::uint32_t>& open() const { return open_; }
  std::vector<std::uint32_t> at(EventId position) const;
  // How many have come up to a position, whatever became of them.
  std::uint32_t begunBy(EventId position) const;

 private:
  static constexpr std::uint32_t kBlock = 64;
  struct Lifetime {
    EventId begin;
    EventId end = 0;  // 0: it goes on
  };
  // Of kBlock that stand together.
  struct Block {
    std::uint32_t open = 0;
    EventId lastEnd = 0;
  };

  std::vector<Lifetime> all_;
  std::vector<std::uint32_t> open_;
  std::vector<Block> blocks_;
  EventId changed_ = 0;
};

}  // namespace shardlens
