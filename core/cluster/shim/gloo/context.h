#pragma once

#include <chrono>

namespace gloo {

// Declared only for ProcessGroupGloo.hpp; see gloo/algorithm.h.
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

}  // namespace gloo
