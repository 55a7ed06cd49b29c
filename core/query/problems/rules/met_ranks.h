#pragma once

#include <unordered_map>
#include <vector>

namespace shardlens {

// Sets of ranks that have met in collectives, directly or through other ranks.
class MetRanks {
 public:
  // Unites the sets of these ranks. Returns false if they were in several sets.
  bool unite(const std::vector<int>& ranks) {
    bool have = true;
    for (const int rank : ranks) {
      const int mine = rootOf(rank), first = rootOf(ranks.front());
      have &= mine == first;
      parents_[mine] = first;
    }
    return have;
  }

 private:
  int rootOf(int rank) {
    auto parent = parents_.try_emplace(rank, rank).first;
    while (parent->second != parent->first) {
      parent->second = parents_.at(parent->second);
      parent = parents_.find(parent->second);
    }
    return parent->first;
  }

  std::unordered_map<int, int> parents_;
};

}  // namespace shardlens
