#include "core/trace/merge/merged_ids.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

std::uint32_t IdMap::find(std::uint32_t id) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), id,
                       [](std::uint32_t key, const Run& run) { return key < run.from; });
  if (after != runs_.begin()) {
    const Run& run = *std::prev(after);
    if (id - run.from < run.length) return run.to + (id - run.from);
  }
  if (others_.empty()) return 0;
  const auto found = others_.find(id);
  return found == others_.end() ? 0 : found->second;
}

void IdMap::put(std::uint32_t id, std::uint32_t to) {
  if (runs_.empty() || id > runs_.back().from + (runs_.back().length - 1)) {
    const bool continues = !runs_.empty() && id == runs_.back().from + runs_.back().length &&
                           to == runs_.back().to + runs_.back().length;
    if (continues) {
      ++runs_.back().length;
    } else {
      runs_.push_back({id, to, 1});
    }
  } else {
    others_[id] = to;
  }
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
