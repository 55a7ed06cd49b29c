#include "core/trace/snapshot/births.h"

#include <algorithm>

namespace shardlens {

void Births::add(EventId at, std::uint32_t id) {
  isAscending_ = isAscending_ && (births_.empty() || births_.back().id < id);
  births_.push_back({at, id});
}

Births::Ids Births::at(EventId position) const {
  const auto end =
      std::upper_bound(births_.begin(), births_.end(), position,
                       [](EventId wanted, const Birth& birth) { return wanted < birth.at; });
  Ids ids;
  ids.births_ = this;
  ids.size_ = static_cast<std::size_t>(end - births_.begin());
  if (isAscending_) return ids;
  auto sorted = std::make_shared<std::vector<std::uint32_t>>();
  for (auto birth = births_.begin(); birth != end; ++birth) sorted->push_back(birth->id);
  std::sort(sorted->begin(), sorted->end());
  ids.sorted_ = std::move(sorted);
  return ids;
}

}  // namespace shardlens
