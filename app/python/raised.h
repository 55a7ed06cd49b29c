#pragma once

#include "core/base/result.h"

#include <pybind11/pybind11.h>

#include <type_traits>
#include <utility>

namespace shardlens {

// Returns the value of a result, or nothing for Result<void>. Throws ValueError with the error's
// message if the result is an error.
template <class Value>
Value orRaise(Result<Value> result) {
  if (!result) throw pybind11::value_error(result.error().message);
  if constexpr (!std::is_void_v<Value>) return *std::move(result);
}

}  // namespace shardlens
