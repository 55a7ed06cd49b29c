#pragma once

#include "core/plan/search/edge_costs.h"

#include <limits>
#include <vector>

namespace shardlens {

// A path from the source to a placement state. Several are kept if each is better in some respect,
// for example time or bytes.
struct SearchNode {
  PathCost toll;
  Edge last;
  std::uint32_t before = 0;        // index of the path without `last`
  std::uint32_t nextOfLayout = 0;  // next older path to the same state
};

// The paths found so far, with a hash index by placement state. Call clear() before the first use;
// it keeps the memory of earlier searches.
class Frontier {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void clear() {
    ways_.clear();
    if (++generation_ == 0) {
      slots_.clear();
      generation_ = 1;
    }
    if (slots_.empty()) slots_.resize(1024);
  }
  const SearchNode& operator[](std::uint32_t index) const { return ways_[index]; }

  // Adds a path and returns its index. Returns kNone, and adds nothing, if a known path to the
  // state is at least as good in every respect.
  std::uint32_t add(SearchNode way) {
    if (2 * ways_.size() >= slots_.size()) grow();
    Slot& slot = find(way.last.to);
    for (std::uint32_t known = slot.first; known != kNone; known = ways_[known].nextOfLayout) {
      if (asGood(ways_[known].toll, way.toll)) return kNone;
    }
    const auto index = static_cast<std::uint32_t>(ways_.size());
    way.nextOfLayout = slot.first;
    slot.first = index;
    ways_.push_back(way);
    return index;
  }
  // Returns true if a path that was added later makes this one useless.
  bool isDominated(std::uint32_t index) {
    const SearchNode& way = ways_[index];
    for (std::uint32_t other = find(way.last.to).first; other != index;
         other = ways_[other].nextOfLayout) {
      if (asGood(ways_[other].toll, way.toll)) return true;
    }
    return false;
  }

 private:
  struct Slot {
    PlacementCode layout = 0;
    std::uint32_t first = kNone;
    std::uint32_t generation = 0;
  };

  static bool asGood(const PathCost& a, const PathCost& b) {
    return a.time <= b.time && a.collectives <= b.collectives && a.bytes <= b.bytes &&
           (a.steps <= b.steps || a < b);
  }
  Slot& find(PlacementCode layout) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (layout * 0x9e3779b97f4a7c15ULL >> 32) & mask;
    while (slots_[at].generation == generation_ && slots_[at].layout != layout) {
      at = (at + 1) & mask;
    }
    if (slots_[at].generation != generation_) slots_[at] = {layout, kNone, generation_};
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const auto& slot : old) {
      if (slot.generation == generation_) find(slot.layout).first = slot.first;
    }
  }

  std::vector<SearchNode> ways_;
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

}  // namespace shardlens
