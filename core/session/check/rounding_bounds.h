#pragma once

#include "core/session/check/plain_tensors.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace shardlens {

// Measures how far rounding moves the results of a scenario: runs the program on plain tensors
// several times more and changes each floating-point result by as much as rounding may, so that
// later steps receive the changes. Some copies change each element separately, as rounding of the
// result does. Others change whole blocks together, as rounding of the partial values of a sum
// does. Changes are relative to the addends, not to their sum, because the addends change.
class RoundingBounds {
 public:
  RoundingBounds();

  // Runs a step in each copy. `sharded` is as for PlainTensors, `drawnFrom` the state of libtorch's
  // random generator at the start of the step. Changes the state of the generator.
  void run(const ScenarioStep& step, const Values& sharded, const at::Tensor& drawnFrom);
  // Uses this tensor as the result `name` in each copy, changed by rounding.
  void adopt(const std::string& name, const at::Tensor& plain);
  // Returns for each element of the plain result `name` how far a result of another order of sums
  // may be from it, in float64. Integers and bools have 0, but infinity where rounding of an input
  // changes them. 0 everywhere if all copies failed.
  at::Tensor of(const std::string& name, const at::Tensor& plain) const;

 private:
  struct Copy {
    Values values = {};
    std::int64_t blocks = 0;  // blocks per dim that change together; 0: each element separately
    at::Generator generator;
    bool isUsable = true;  // false once one of its steps was refused
  };

  void change(Copy& copy, const at::Tensor& tensor);

  std::vector<Copy> copies_;
  std::int64_t addends_ = 1;  // the longest dim of the results so far
};

}  // namespace shardlens
