#pragma once

#include "core/tensor/layout/step_geometry.h"

namespace shardlens {

class Runtime;

// Whether a step's collective may still run when transform() returns, see
// Communicator::makeNextAsync().
enum class Pace { Complete, Async };

// The locals of the hosted ranks after a step.
struct Moved {
  Buffers locals;
  std::uint64_t runningCollective = 0;  // number of the collective that fills the locals; 0: none
};

// Executes one step of a plan and returns the new locals of the hosted ranks. Does not change
// `locals`, but the result may share their memory. Pace::Async affects the step's collective only;
// a step without a collective is complete. Throws CheckFailed for a step that moves owned rows; see
// OwnedRows::moved(). Collective if the step has one.
Moved transform(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
                const Buffers& locals, Pace pace);

}  // namespace shardlens
