#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace shardlens {

// Which ids there are at a position, each from one event on.
class Births {
 public:
  // Events come in order.
  void add(EventId at, std::uint32_t id);

  // Those that are there, ascending; as good as a copy, and nearly always without one: ids are
  // given out in the order in which things come into being, but for what recordings may say.
  class Ids {
   public:
    std::size_t size() const { return size_; }
    std::uint32_t operator[](std::size_t place) const {
      return sorted_ ? (*sorted_)[place] : births_->births_[place].id;
    }

   private:
    friend class Births;
    const Births* births_ = nullptr;
    std::size_t size_ = 0;
    std::shared_ptr<const std::vector<std::uint32_t>> sorted_;  // where they came in another order
  };
  Ids at(EventId position) const;

 private:
  struct Birth {
    EventId at;
    std::uint32_t id;
  };
  std::vector<Birth> births_;
  bool isAscending_ = true;
};

}  // namespace shardlens
