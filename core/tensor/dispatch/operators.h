#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

namespace shardlens {

// Returns libtorch's own operators that take tensors, sorted by name. Leaves out the ones that
// libtorch composes of others, unless their rule handles them as one.
std::vector<c10::OperatorHandle> dispatchedOperators();

}  // namespace shardlens
