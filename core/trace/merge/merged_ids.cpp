#include "core/trace/merge/merged_ids.h"

namespace shardlens {

MergedIds::Found MergedIds::find(std::span<const std::uint32_t> named) {
  Found found;
  bool any = false;
  for (std::size_t i = 0; i < named.size() && found.id == 0; ++i) {
    any |= named[i] != 0;
    found.id = mergedOf(i, named[i]);
  }
  if (!any) return found;
  if (found.id == 0) found.id = ++given_;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i] != 0 && of_[i].try_emplace(named[i], found.id).second) found.joined.push_back(i);
  }
  return found;
}

std::uint32_t MergedIds::mergedOf(std::size_t process, std::uint32_t id) const {
  const auto known = of_[process].find(id);
  return known == of_[process].end() ? 0 : known->second;
}

}  // namespace shardlens
