#include "core/tensor/events/single_candidate.h"

#include "core/ops/pricing.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/explain.h"

namespace shardlens {

void noteSingleCandidate(Runtime& runtime, const std::string& name,
                         const std::vector<NeededInput>& inputs, const Placements& output) {
  if (!runtime.recorder().recordsReasons()) return;
  OpStrategy only;
  only.name = name;
  only.outputs = {output};
  for (const auto& [tensor, placements] : inputs) {
    if (!tensor.defined()) continue;
    only.inputs.push_back(placements);
    // Ignores a missing plan: the redistribution itself throws and gives the reason.
    if (isDTensor(tensor)) {
      (void)addMove(runtime.options().costs, specOf(tensor), placements, only);
    }
  }
  noteCandidates(runtime, {only});
}

}  // namespace shardlens
