#pragma once

#include "core/ops/rule_registry.h"
#include "core/tensor/local/local_kernels.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

namespace shardlens {

// Returns the operator's name: "aten.sum.dim_IntList"; the overload "default" is left out.
std::string operatorName(const c10::OperatorHandle& op);

// An operator with everything that dispatch needs to know before a call.
struct OpEntry {
  explicit OpEntry(const c10::OperatorHandle& op);

  c10::OperatorHandle op;
  std::string name;
  RuleMatch use;              // its rule is null if the operator has none
  const LocalKernel* kernel;  // null if each rank runs the plain operator

  // The indices of the arguments that are ids and are checked by the kernel.
  std::vector<std::size_t> idArgs;
  // The indices of the arguments that it writes. In place: all return values are written arguments.
  std::vector<std::size_t> writtenArgs;
  // The indices of the arguments that are free numbers, as a learning rate: numbers, or lists of
  // them, on which no strategy and no shape depends. As in DTensor, these are keyword-only
  // arguments, all numbers of elementwise foreach operators, and those of rules with freeNumbers.
  std::vector<std::size_t> freeNumbers;
  bool inPlace = false;
  // The written arguments are `out=` arguments: written, not read.
  bool writesOut = false;
  // The output size depends on values; for an indexing operator only if an index is a mask, see
  // isSizedByData().
  bool sizedByData = false;
  // The operator changes the metadata of its argument, not the data ("aten.t_"). Ranks then run the
  // view operator `localOp` ("aten.t"), because other tensors may share their locals.
  bool viewsInPlace = false;
  // The operator that each rank runs: `op`, except for viewsInPlace.
  c10::OperatorHandle localOp;
};

}  // namespace shardlens
