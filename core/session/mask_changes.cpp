#include "core/session/mask_changes.h"

namespace shardlens {

void MaskChanges::take(const std::string& step, const std::vector<MaskRecordPtr>& buffers) {
  std::map<BufferId, Hold> now;
  for (const auto& [id, hold] : held_) now[id];  // released buffers keep refcount 0
  for (const auto& entry : buffers) now[entry->id] = {entry->buffer.refcount(), entry->holders};
  for (const auto& [id, hold] : now) {
    const auto before = held_.find(id);
    if (before != held_.end() && before->second == hold) continue;
    changes_.push_back(
        {{"step", step}, {"id", id}, {"refcount", hold.refcount}, {"holders", hold.holders}});
  }
  held_ = std::move(now);
}

}  // namespace shardlens
