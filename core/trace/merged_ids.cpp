#include "core/trace/merged_ids.h"

#include <algorithm>

namespace shardlens {

// Who was not asked does not disagree.
bool MergedIds::agrees(std::uint32_t id, std::span<const Named> named) const {
  return std::ranges::equal(all_[id - 1], named,
                            [](const Named& a, const Named& b) { return !a || !b || *a == *b; });
}

MergedIds::Found MergedIds::find(std::span<const Named> named) {
  const auto has = [](const Named& one) { return one.value_or(0) != 0; };
  const auto first = std::ranges::find_if(named, has);
  if (first == named.end()) return {};
  const auto known = mergedOf(static_cast<std::size_t>(first - named.begin()), **first);
  const auto same = std::ranges::find_if(known.rbegin(), known.rend(),
                                         [&](std::uint32_t id) { return agrees(id, named); });
  if (same == known.rend()) all_.emplace_back(named.size());
  Found found{same == known.rend() ? size() : *same, {}};
  for (std::size_t i = 0; i < named.size(); ++i) {
    auto& mine = all_[found.id - 1][i];
    if (mine || !named[i]) continue;
    mine = named[i];
    if (!has(mine)) continue;
    of_[i][*mine].push_back(found.id);
    found.joined.push_back(i);
  }
  return found;
}

std::span<const std::uint32_t> MergedIds::mergedOf(std::size_t process, std::uint32_t id) const {
  const auto found = of_[process].find(id);
  return found == of_[process].end() ? std::span<const std::uint32_t>() : found->second;
}

}  // namespace shardlens
