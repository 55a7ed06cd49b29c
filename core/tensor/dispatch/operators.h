#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

namespace shardlens {

// libtorch's own operators that take tensors, sorted by name, without those that it composes of
// others (unless their rule takes them as one): the ones that sharded tensors are dispatched by.
std::vector<c10::OperatorHandle> dispatchedOperators();

}  // namespace shardlens
