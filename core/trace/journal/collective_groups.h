#pragma once

#include "core/model/ranks_text.h"
#include "core/trace/journal/journal.h"

#include <unordered_map>
#include <vector>

namespace shardlens {

// The groups of collectives: each text of ranks is parsed once. For events of one journal.
class CollectiveGroups {
 public:
  // Returns the groups of a collective. The reference is valid while this object lives.
  const std::vector<std::vector<int>>& of(const Journal& journal, const Event& event) {
    const auto [known, isNew] = groups_.try_emplace(event.ranks);
    if (isNew) known->second = parseRanks(journal.text(event.ranks));
    return known->second;
  }

 private:
  std::unordered_map<StringId, std::vector<std::vector<int>>> groups_;  // by the text of the ranks
};

}  // namespace shardlens
