#pragma once

#include "core/tensor/dispatch/call_answer.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/op_entry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/local_call.h"
#include "core/tensor/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// One call of an operator on sharded tensors: unwrap, propagate, redistribute, run on each hosted
// rank, wrap.
class ShardedCall {
 public:
  using Args = at::ArrayRef<c10::IValue>;

  // The entry and the arguments must outlive the call. Throws Refusal if no argument is sharded.
  ShardedCall(const OpEntry& entry, Args args);
  // Returns the results. Throws Refusal if the call is refused. Call it once.
  std::vector<c10::IValue> run();

 private:
  std::vector<c10::IValue> results();
  const LocalKernel* kernel() const { return entry_.kernel; }

  // Returns true inside a gradient formula. AccumulateGrad is exempt, because it adds into .grad in
  // place by design.
  static bool isInFormula();

  // Throws Refusal if a formula writes on a view of a redistributed copy.
  void refuseLostWrites() const;

  // Returns true inside a gradient formula if the result views a copy of the formula's tensor.
  bool isCopiedView(std::size_t result, const CachedCall& answer) const;

  // Reduces partial ids before they are checked: a partial value is not an id.
  void reduceIds();

  // The output size depends on values (nonzero, unique): all inputs are replicated first.
  void gatherInputs();

  // Returns true if only the program may redistribute.
  bool areRedistributionsExplicit() const {
    return runtime_.options().redistributions == Redistributions::Explicit;
  }

  // Throws Refusal if the strategy would send something for the inputs.
  void refuseImplicit(const CachedCall& answer) const;
  [[noreturn]] void refuseImplicit(const std::string& call, const std::string& moves) const;
  void redistributeInputs(const CachedCall& answer);

  // Operators read a pending result with its mask applied.
  void applyMasks() const;

  // See Note [Written locals].
  void materializeWritten() const;
  LocalResult runLocally(const CachedCall& answer);

  // Returns true if the inputs have no data and the results therefore have none. A call that
  // requests a device other than meta creates data, except in a dry run.
  bool hasNoData() const;

  // Returns results without data, of the local shapes.
  LocalResult withoutData(const CachedCall& answer) const;
  std::vector<c10::IValue> wrapped(const CachedCall& answer, LocalResult result);

  // In inference mode, a view of an ordinary tensor is an ordinary tensor.
  bool viewsOrdinary(std::size_t result) const;

  // A number that the program reads must be equal in every process.
  [[noreturn]] void refuseUnheard() const;

  // Returns the written arguments as the results of an in-place operator, and records them.
  std::vector<c10::IValue> writtenArgs();

  // Gives a result its mask hold and its name, and records it.
  void nameResult(const at::Tensor& tensor);

  // Gives the result of a masked lookup its hold. Ids masked for this call pass their hold on. Ids
  // that the program masked serve several lookups, so each lookup gets a new hold. A view of a
  // pending result shares its hold.
  void sharePending(DTensorImpl& result, const std::string& name) const;

  static bool isPendingResult(const DTensorImpl& impl) {
    return impl.pending() != nullptr && !impl.areMaskedIds();
  }

  std::string shortName() const { return entry_.name.substr(entry_.name.find('.') + 1); }
  std::string resultName() const {  // "pow" of "aten.pow.Tensor_Scalar"
    const std::string name = shortName();
    return name.substr(0, name.find('.'));
  }

  const OpEntry& entry_;
  Args args_;
  std::vector<c10::IValue> reducedArgs_;  // owns args_ after reduceIds() or gatherInputs()
  CallInputs inputs_;
  Runtime& runtime_;
  Buffers masks_;                     // of a fused lookup, if the recording captures values
  std::shared_ptr<MaskHold> masked_;  // the hold of ids that were masked for this call
};

}  // namespace shardlens
