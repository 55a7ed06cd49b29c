#include "core/trace/snapshot/snapshot.h"

#include <tuple>

namespace shardlens {

bool Snapshot::operator==(const Snapshot& other) const {
  const auto all = [](const Snapshot& each) {
    return std::tie(each.position, each.step, each.line, each.open, each.tensors, each.buffers,
                    each.liveBuffers, each.newestBuffer, each.strategyCache, each.planCache,
                    each.newestLookup, each.focus, each.strategyDecided, each.planDecided,
                    each.bytesMoved, each.newestError, each.error);
  };
  return all(*this) == all(other);
}

std::optional<TensorState> Snapshot::tensor(TensorId id) const {
  return histories == nullptr ? std::nullopt : histories->tensors.at(id, position);
}

std::optional<BufferState> Snapshot::buffer(BufferId id) const {
  return histories == nullptr ? std::nullopt : histories->buffers.at(id, position);
}

std::vector<TensorId> Snapshot::maskedBy(TensorId mask) const {
  return histories == nullptr ? std::vector<TensorId>()
                              : histories->tensors.maskedBy(mask, position);
}

}  // namespace shardlens
