#pragma once

#include "core/base/result.h"

#include <stdexcept>
#include <string>

namespace shardlens {

// Thrown to refuse a step. Used below calls that come through libtorch, which cannot return a
// Result; the step runner converts it back to an Error.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the value of `result`, or throws Refusal with its error message.
template <class T>
T orRefuse(Result<T> result) {
  if (!result) throw Refusal(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace shardlens
