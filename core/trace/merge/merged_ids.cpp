#include "core/trace/merge/merged_ids.h"

namespace shardlens {

std::uint32_t IdMap::find(std::uint32_t id) const {
  if (id < dense_.size() && dense_[id] != 0) return dense_[id];
  if (others_.empty()) return 0;
  const auto found = others_.find(id);
  return found == others_.end() ? 0 : found->second;
}

void IdMap::put(std::uint32_t id, std::uint32_t to) {
  constexpr std::size_t kGap = 16;  // unused ids tolerated per used id
  ++known_;
  if (id >= kGap * (known_ + 64)) {
    others_[id] = to;
    return;
  }
  if (id >= dense_.size()) dense_.resize(id + std::size_t{1});
  dense_[id] = to;
}

MergedIds::Found MergedIds::find(std::span<const std::uint32_t> named) {
  Found found;
  bool any = false;
  for (std::size_t i = 0; i < named.size() && found.id == 0; ++i) {
    if (named[i] == 0) continue;
    any = true;
    found.id = mergedOf(i, named[i]);
  }
  if (!any) return found;
  if (found.id == 0) found.id = ++given_;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i] == 0 || mergedOf(i, named[i]) != 0) continue;
    merged_[i].put(named[i], found.id);
    if (own_[i].find(found.id) == 0) own_[i].put(found.id, named[i]);
    found.joined.push_back(i);
  }
  return found;
}

}  // namespace shardlens
