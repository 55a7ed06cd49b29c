#pragma once

#include "core/tensor/layout/step_geometry.h"

namespace shardlens {

class Runtime;

// Whether a step's collective may go on after it has returned, see Communicator::makeNextAsync().
enum class Pace { Complete, MayGoOn };

struct Moved {
  Buffers locals;
  std::uint64_t underWay = 0;  // the number of the collective that fills them; 0 is none
};

// What the hosted ranks hold after one step of a plan; the locals are left as they are.
Moved transform(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
                const Buffers& locals, Pace pace);

}  // namespace shardlens
