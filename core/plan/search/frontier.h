#pragma once

#include "core/plan/search/edge_costs.h"

#include <limits>
#include <vector>

namespace shardlens {

// A path from the source to a placement state. Several are kept if each is better in some respect,
// for example time or bytes.
struct SearchNode {
  PathCost cost;
  Edge last;
  std::uint32_t before = 0;       // index of the path without `last`
  std::uint32_t nextToState = 0;  // next older path to the same state
};

// The paths found so far, with a hash index by placement state. Call clear() before the first use;
// it keeps the memory of earlier searches.
class Frontier {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void clear() {
    paths_.clear();
    if (++generation_ == 0) {
      slots_.clear();
      generation_ = 1;
    }
    if (slots_.empty()) slots_.resize(1024);
  }
  // The reference is valid until the next add() or clear().
  const SearchNode& operator[](std::uint32_t index) const { return paths_[index]; }

  // Adds a path and returns its index. Returns kNone, and adds nothing, if a known path to the
  // state is at least as good in every respect.
  std::uint32_t add(SearchNode path) {
    if (2 * paths_.size() >= slots_.size()) grow();
    Slot& slot = find(path.last.to);
    for (std::uint32_t known = slot.first; known != kNone; known = paths_[known].nextToState) {
      if (asGood(paths_[known].cost, path.cost)) return kNone;
    }
    const auto index = static_cast<std::uint32_t>(paths_.size());
    path.nextToState = slot.first;
    slot.first = index;
    paths_.push_back(path);
    return index;
  }
  // Returns true if a path that was added later makes this one useless.
  bool isDominated(std::uint32_t index) {
    const SearchNode& path = paths_[index];
    for (std::uint32_t other = find(path.last.to).first; other != index;
         other = paths_[other].nextToState) {
      if (asGood(paths_[other].cost, path.cost)) return true;
    }
    return false;
  }

 private:
  struct Slot {
    PlacementCode state = 0;
    std::uint32_t first = kNone;
    std::uint32_t generation = 0;
  };

  static bool asGood(const PathCost& a, const PathCost& b) {
    return a.time <= b.time && a.collectives <= b.collectives && a.bytes <= b.bytes &&
           (a.steps <= b.steps || a < b);
  }
  Slot& find(PlacementCode state) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (state * 0x9e3779b97f4a7c15ULL >> 32) & mask;
    while (slots_[at].generation == generation_ && slots_[at].state != state) {
      at = (at + 1) & mask;
    }
    if (slots_[at].generation != generation_) slots_[at] = {state, kNone, generation_};
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const auto& slot : old) {
      if (slot.generation == generation_) find(slot.state).first = slot.first;
    }
  }

  std::vector<SearchNode> paths_;
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

}  // namespace shardlens
