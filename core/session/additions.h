#pragma once

#include "core/model/modes.h"
#include "core/session/scenario/step_reader.h"
#include "core/tensor/runtime_options.h"

#include <string_view>
#include <vector>

namespace shardlens {

// A call that a library adds to scenarios: its name, and its functions for sharded and for plain
// tensors. `name` must have static lifetime. Both throw Refusal or libtorch's exceptions.
struct AddedCall {
  std::string_view name;
  at::Tensor (*sharded)(const StepReader& step);
  at::Tensor (*plain)(const StepReader& step);
};

// The calls and mask policies that libraries add to sessions, such as core/legacy, which sessions
// do not link.
struct Additions {
  std::vector<AddedCall> calls;
  // Returns the mask policy of a scenario's "emulate". Null if no library has emulations.
  MakeMaskPolicy (*emulations)(Emulation) = nullptr;
};

// Returns the additions of this process. Not thread-safe: fill them in before the first session
// runs.
Additions& additions();

// Returns the mask policy of an emulation; null for None. Throws Refusal if no library has it.
MakeMaskPolicy addedMaskPolicy(Emulation emulation);

}  // namespace shardlens
