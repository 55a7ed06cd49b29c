#pragma once

#include "core/ops/rule_registry.h"
#include "core/tensor/local/local_kernels.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

namespace shardlens {

// "aten.sum.dim_IntList"; the overload "default" is left out.
std::string operatorName(const c10::OperatorHandle& op);

// An operator as dispatch knows it: what can be told before it is called.
struct OpEntry {
  explicit OpEntry(const c10::OperatorHandle& op);

  c10::OperatorHandle op;
  std::string name;
  RuleMatch use;              // of no rule where it has none
  const LocalKernel* kernel;  // null where each rank runs the plain operator

  // The arguments of ids that its kernel looks at.
  std::vector<std::size_t> idArgs;
  // The arguments that it writes. It works in place where these are all that it gives back.
  std::vector<std::size_t> writtenArgs;
  bool inPlace = false;
  // They are `out=`: written, and not read.
  bool writesOut = false;
  // How much it gives, its data say; where an index does, only if that is a mask.
  bool sizedByData = false;
  // What it changes in place is not the data but how it is seen ("aten.t_"): the ranks then run the
  // view itself, since others may see the same parts as they were.
  bool viewsInPlace = false;
  c10::OperatorHandle localOp;
};

}  // namespace shardlens
