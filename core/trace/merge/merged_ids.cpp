#include "core/trace/merge/merged_ids.h"

#include <algorithm>

namespace shardlens {

std::uint32_t IdMap::find(std::uint32_t id) const {
  const IdRun run = runs_.atFrom(id);
  if (id - run.from < run.length) return run.to + (id - run.from);
  if (others_.empty()) return 0;
  const auto found = others_.find(id);
  return found == others_.end() ? 0 : found->second;
}

void IdMap::put(std::uint32_t id, std::uint32_t to) {
  if (runs_.empty() || id > runs_.last()) {
    runs_.add(id, to);
  } else {
    others_[id] = to;
  }
}

void MergedIds::beginStep() {
  for (IdMap& map : merged_) map.beginStep();
  for (IdMap& map : own_) map.beginStep();
}

MergedIds::Found MergedIds::find(std::span<const Named> named) {
  Found found;
  bool any = false;
  for (const auto& [process, id] : named) {
    any |= id != 0;
    if (id != 0 && found.id == 0) found.id = mergedOf(process, id);
  }
  if (!any) return found;
  if (found.id == 0) found.id = ++given_;
  for (const auto& [process, id] : named) {
    if (id == 0 || mergedOf(process, id) != 0) continue;
    map({process, id}, found.id);
    found.joined.push_back({process, id});
  }
  return found;
}

void MergedIds::map(const Named& named, std::uint32_t merged) {
  given_ = std::max(given_, merged);
  merged_[named.process].put(named.id, merged);
  IdMap& own = own_[named.process];
  if (own.find(merged) == 0) own.put(merged, named.id);
}

}  // namespace shardlens
