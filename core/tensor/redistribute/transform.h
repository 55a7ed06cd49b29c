#pragma once

#include "core/tensor/layout/step_geometry.h"

namespace shardlens {

class Runtime;

// Whether a step's collective may still run when transform() returns, see
// Communicator::makeNextAsync().
enum class Pace { Complete, Async };

struct Moved {
  Buffers locals;
  std::uint64_t runningCollective = 0;  // number of the collective that fills the locals; 0: none
};

// Executes one step of a plan and returns the new locals of the hosted ranks. Does not change
// `locals`, but the result may share their memory. Steps that move owned rows are not supported,
// see OwnedRows::moved().
Moved transform(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
                const Buffers& locals, Pace pace);

}  // namespace shardlens
