#include "core/trace/merge/merged_ids.h"

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
    merged_[process].put(id, found.id);
    if (own_[process].find(found.id) == 0) own_[process].put(found.id, id);
    found.joined.push_back({process, id});
  }
  return found;
}

}  // namespace shardlens
