#pragma once

#include "core/base/result.h"

#include <stdexcept>
#include <string>

namespace shardlens {

// A step is refused. Thrown where the call came through libtorch, which knows no Result; the step
// runner makes it an Error again.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
T orRefuse(Result<T> result) {
  if (!result) throw Refusal(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace shardlens
