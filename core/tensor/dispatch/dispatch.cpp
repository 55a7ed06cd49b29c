#include "core/tensor/dispatch/dispatch.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/tensor/composed/attention.h"
#include "core/tensor/composed/cross_entropy.h"
#include "core/tensor/composed/embedding_autograd.h"
#include "core/tensor/composed/gather_gradient.h"
#include "core/tensor/composed/one_hot.h"
#include "core/tensor/composed/reflections.h"
#include "core/tensor/dispatch/call_answer.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/op_entry.h"
#include "core/tensor/dispatch/operators.h"
#include "core/tensor/dispatch/out_variant.h"
#include "core/tensor/dispatch/output_metas.h"
#include "core/tensor/distribute.h"
#include "core/tensor/events/compute_span.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/local/local_call.h"
#include "core/tensor/local/written_locals.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/recording.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;
using Args = at::ArrayRef<c10::IValue>;

// One call of an operator on sharded tensors: unwrap, propagate, redistribute, run on each hosted
// rank, wrap.
class Call {
 public:
  Call(const OpEntry& entry, Args args)
      : entry_(entry),
        args_(args),
        inputs_(collectInputs(entry.name, args)),
        runtime_(*inputs_.runtime) {}

  std::vector<c10::IValue> run() {
    runtime_.recorder().rethrow();
    return inOperator(runtime_, entry_.name, inputs_.tensors, [this] { return results(); });
  }

 private:
  std::vector<c10::IValue> results() {
    refuseMixed(entry_.name, inputs_);
    refuseLostWrites();
    reduceIds();
    if (isSizedByData(entry_, args_)) gatherInputs();
    if (kernel() != nullptr && kernel()->check != nullptr) {
      kernel()->check(args_, inputs_.tensors);
    }
    const CachedCallPtr answer = callAnswer(entry_, args_, inputs_);
    if (answer->movesInputs) {
      if (areRedistributionsExplicit()) refuseImplicit(*answer);
      redistributeInputs(*answer);
    }
    applyMasks();
    // A running redistribution may still read what this call writes.
    if (!entry_.writtenArgs.empty()) {
      runtime_.comm().wait();
      if (!entry_.viewsInPlace) materializeWritten();
    }
    return wrapped(*answer, runLocally(*answer));
  }

  const LocalKernel* kernel() const { return entry_.kernel; }

  // Returns true inside a gradient formula. AccumulateGrad is exempt, because it adds into .grad in
  // place by design.
  static bool isInFormula() {
    return isComputingGradients() &&
           torch::autograd::get_current_node()->name() != "torch::autograd::AccumulateGrad";
  }

  // Throws Refusal if a formula writes on a view of a redistributed copy.
  void refuseLostWrites() const {
    for (const auto arg : entry_.writtenArgs) {
      forEachTensor(args_[arg], [&](const at::Tensor& tensor) {
        if (!isDTensor(tensor) || !dtensorImpl(tensor).isCopiedView() || !isInFormula()) return;
        throw Refusal(
            entry_.name +
            ": the formula of a gradient writes on a view whose tensor had to be "
            "redistributed for it, so that this would not be reached. Please redistribute "
            "the operator's inputs, and its result, to be replicated before");
      });
    }
  }

  // Returns true inside a gradient formula if the result views a copy of the formula's tensor.
  bool isCopiedView(std::size_t result, const CachedCall& answer) const {
    const auto* alias = entry_.op.schema().returns()[result].alias_info();
    if (alias == nullptr || alias->isWrite() || !isComputingGradients()) return false;
    return answer.movesInputs ||
           std::any_of(inputs_.tensors.begin(), inputs_.tensors.end(), [](const auto& input) {
             return isDTensor(input) && dtensorImpl(input).isCopiedView();
           });
  }

  // Reduces partial ids before they are checked: a partial value is not an id.
  void reduceIds() {
    for (const std::size_t at : entry_.idArgs) {
      bool havePartials = false;
      forEachTensor(args_[at], [&](const at::Tensor& ids) {
        havePartials = havePartials || hasPartialIds(ids);
        if (havePartials && areRedistributionsExplicit())
          refuseImplicit(toText(specOf(ids)), "ids -> whole ids");
      });
      if (!havePartials) continue;
      reducedArgs_.assign(args_.begin(), args_.end());
      reducedArgs_[at] = mapTensors(args_[at], reducedIds);
      args_ = reducedArgs_;
      inputs_ = collectInputs(entry_.name, args_);
    }
  }

  // The output size depends on values (nonzero, unique): all inputs are replicated first.
  void gatherInputs() {
    const Placements whole(static_cast<std::size_t>(runtime_.mesh()->ndim()), Replicate{});
    std::vector<c10::IValue> gathered;
    for (const auto& arg : args_) {
      gathered.push_back(mapTensors(arg, [&](const at::Tensor& tensor) {
        if (!isDTensor(tensor) || specOf(tensor).placements == whole) return tensor;
        if (areRedistributionsExplicit()) {
          refuseImplicit(toText(specOf(tensor)),
                         toText(specOf(tensor).placements) + " -> " + toText(whole));
        }
        return redistributeBelowAutograd(tensor, whole, Verdict::Implicit);
      }));
    }
    reducedArgs_ = std::move(gathered);
    args_ = reducedArgs_;
    inputs_ = collectInputs(entry_.name, args_);
  }

  // Returns true if only the program may redistribute.
  bool areRedistributionsExplicit() const {
    return runtime_.options().redistributions == Redistributions::Explicit;
  }

  // Throws Refusal if the strategy would send something for the inputs.
  void refuseImplicit(const CachedCall& answer) const {
    const auto& chosen = answer.strategy;
    if (chosen.cost <= chosen.haloCost) return;
    std::string call, moves;
    for (std::size_t i = 0; i < chosen.inputs.size(); ++i) {
      const Spec& input = answer.schema.inputs[i];
      call += (call.empty() ? "" : ", ") + toText(input);
      if (chosen.inputs[i] == input.placements) continue;
      moves += (moves.empty() ? "" : ", ") + toText(input.placements) + " -> " +
               toText(chosen.inputs[i]);
    }
    refuseImplicit(call, moves);
  }

  [[noreturn]] void refuseImplicit(const std::string& call, const std::string& moves) const {
    throw Refusal("Implicit redistribution occurred for " + entry_.name + "(" + call +
                  ") while ExplicitRedistributionContext was active: got " + moves +
                  ", expected a redistribute before");
  }

  void redistributeInputs(const CachedCall& answer) {
    for (std::size_t i = 0; i < inputs_.tensors.size(); ++i) {
      auto& tensor = inputs_.tensors[i];
      const Placements& target = answer.wanted[i];
      const Placements& current = answer.schema.inputs[i].placements;
      if (target == current) continue;
      // A plain scalar counts as replicated, and can be redistributed to a partial placement.
      if (!isDTensor(tensor)) tensor = distribute(inputs_.runtime, tensor, current);
      if (hasMask(target)) {
        auto masked = redistributeIds(tensor, target, Verdict::Implicit, answer.buffer);
        tensor = std::move(masked.ids);
        masked_ = std::move(masked.hold);
      } else {
        tensor = redistributeBelowAutograd(tensor, target, Verdict::Implicit);
      }
    }
  }

  // Operators read a pending result with its mask applied.
  void applyMasks() const {
    for (const auto& input : inputs_.tensors) {
      if (!isDTensor(input)) continue;
      const auto& impl = dtensorImpl(input);
      if (isPendingResult(impl)) impl.pending()->apply(impl.locals(), impl.record());
    }
  }

  // See Note [Written locals].
  void materializeWritten() const {
    std::size_t input = 0;
    for (std::size_t at = 0; at < args_.size(); ++at) {
      const bool written = std::count(entry_.writtenArgs.begin(), entry_.writtenArgs.end(), at) > 0;
      forEachTensor(args_[at], [&](const at::Tensor&) {
        const auto& tensor = inputs_.tensors[input++];
        if (!written) return;
        if (!isDTensor(tensor)) return materialize(tensor);
        for (const auto& local : dtensorImpl(tensor).locals()) materialize(local);
      });
    }
  }

  LocalResult runLocally(const CachedCall& answer) {
    const ComputeSpan span(runtime_, shortName());
    const bool own = kernel() != nullptr && kernel()->run != nullptr;
    if (hasNoData() && !(own && kernel()->runsDry)) return withoutData(answer);
    const LocalCall call{runtime_, entry_.localOp, answer, args_, inputs_.tensors};
    return own ? kernel()->run(call) : runPlain(call);
  }

  // Returns true if the inputs have no data and the results therefore have none. A call that
  // requests a device other than meta creates data, except in a dry run.
  bool hasNoData() const {
    const bool asksForData = runtime_.comm().deviceType() != at::kMeta &&
                             std::any_of(args_.begin(), args_.end(), [](const auto& arg) {
                               return arg.isDevice() && !arg.toDevice().is_meta();
                             });
    return !asksForData &&
           std::any_of(inputs_.tensors.begin(), inputs_.tensors.end(),
                       [](const auto& input) { return isDTensor(input) && input.is_meta(); });
  }

  // Returns results without data, of the local shapes.
  LocalResult withoutData(const CachedCall& answer) const {
    for (const auto& formal : entry_.op.schema().returns()) {
      const auto kind = formal.type()->kind();
      if (kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType) continue;
      throw Refusal(entry_.name +
                    ": got tensors without data, expected some: its result is of them");
    }
    // As with data: computing on owned rows materialises the partial values.
    for (const auto& input : inputs_.tensors) {
      if (isDTensor(input)) (void)dtensorImpl(input).locals();
    }
    LocalResult result;
    for (const auto& layout : answer.outputs) {
      const auto options = at::TensorOptions(at::kMeta).dtype(scalarType(layout->spec.meta.dtype));
      auto& buffers = result.outputs.emplace_back();
      for (const auto& shape : layout->localShapes) buffers.push_back(at::empty(shape, options));
    }
    return result;
  }

  std::vector<c10::IValue> wrapped(const CachedCall& answer, LocalResult result) {
    // A process that hosts no rank of the mesh has no outputs yet.
    result.outputs.resize(answer.outputs.size());
    if (entry_.viewsInPlace) {
      const auto& viewed = args_[entry_.writtenArgs.front()].toTensor();
      dtensorImpl(viewed).become(answer.outputs.front(), std::move(result.outputs.front()));
    }
    if (entry_.inPlace) return writtenArgs();
    masks_ = std::move(result.masks);
    std::vector<c10::IValue> values;
    std::size_t output = 0, plain = 0;
    const auto next = [&](bool copied) {
      const auto& layout = answer.outputs[output];
      const bool isRows = output == 0 && result.rows != nullptr;
      auto tensor = isRows
                        ? makeSharded(inputs_.runtime, layout, result.rows)
                        : makeSharded(inputs_.runtime, layout, std::move(result.outputs[output]));
      if (copied) dtensorImpl(tensor).setCopiedView();
      nameResult(tensor);
      ++output;
      return tensor;
    };
    const auto& formal = entry_.op.schema().returns();
    for (std::size_t i = 0; i < formal.size(); ++i) {
      std::optional<c10::InferenceMode> ordinary;
      if (c10::InferenceMode::is_enabled() && viewsOrdinary(i)) ordinary.emplace(false);
      const auto kind = formal[i].type()->kind();
      if (kind == c10::TypeKind::TensorType) {
        values.emplace_back(answer.counts[i] == 0 ? at::Tensor() : next(isCopiedView(i, answer)));
      } else if (kind == c10::TypeKind::ListType && plain == result.plain.size()) {
        c10::List<at::Tensor> list;
        while (list.size() < answer.counts[i]) list.push_back(next(isCopiedView(i, answer)));
        values.emplace_back(std::move(list));
      } else {
        if (plain == result.plain.size()) refuseUnheard();
        values.push_back(std::move(result.plain[plain++]));
      }
    }
    return values;
  }

  // In inference mode, a view of an ordinary tensor is an ordinary tensor.
  bool viewsOrdinary(std::size_t result) const {
    const auto* alias = entry_.op.schema().returns()[result].alias_info();
    return alias != nullptr && !alias->isWrite() && args_[0].isTensor() &&
           !args_[0].toTensor().is_inference();
  }

  // A number that the program reads must be equal in every process.
  [[noreturn]] void refuseUnheard() const {
    throw Refusal(entry_.name +
                  ": got a mesh of which this process hosts no rank, expected one of " +
                  "all ranks where a number is read");
  }

  // Returns the written arguments as the results of an in-place operator, and records them.
  std::vector<c10::IValue> writtenArgs() {
    std::vector<c10::IValue> values;
    for (std::size_t i = 0; i < entry_.op.schema().returns().size(); ++i) {
      values.push_back(args_[entry_.writtenArgs[i]]);
    }
    for (const auto arg : entry_.writtenArgs) {
      forEachTensor(args_[arg], [](const at::Tensor& tensor) {
        if (isDTensor(tensor)) recordResult(tensor, dtensorImpl(tensor).name());
      });
    }
    return values;
  }

  // Gives a result its mask hold and its name, and records it.
  void nameResult(const at::Tensor& tensor) {
    auto& impl = dtensorImpl(tensor);
    Recorder& recorder = runtime_.recorder();
    const bool named = runtime_.namesResults();
    const std::string name = named ? runtime_.resultNames().idOr(resultName()) : std::string();
    sharePending(impl, name);
    if (!named) return;
    if (!masks_.empty()) impl.setMaskRecord(addMaskRecord(recorder, "mask of " + name, masks_));
    const EventId event = recordResult(tensor, name);
    if (!masks_.empty()) {
      recordValues(recorder, event, impl.maskRecord(), masks_, runtime_.comm().hosted());
    }
  }

  // Gives the result of a masked lookup its hold. Ids masked for this call pass their hold on. Ids
  // that the program masked serve several lookups, so each lookup gets a new hold. A view of a
  // pending result shares its hold.
  void sharePending(DTensorImpl& result, const std::string& name) const {
    if (!hasMask(result.spec().placements)) return;
    if (masked_ != nullptr) return result.setPending(masked_);
    for (const auto& input : inputs_.tensors) {
      if (!isDTensor(input) || dtensorImpl(input).pending() == nullptr) continue;
      const auto& impl = dtensorImpl(input);
      result.setPending(isPendingResult(impl) ? impl.pending() : impl.pending()->again(name));
    }
  }

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

std::vector<c10::IValue> called(const OpEntry& entry, Args args) {
  if (entry.writesOut && entry.use.rule == nullptr) {
    if (const auto giving = givingVariant(entry.op)) return runIntoGiven(entry, *giving, args);
  }
  return Call(entry, args).run();
}

// libtorch's gradient of a write to a view finds the view by its place in memory, which a sharded
// tensor does not have. View replay calls the view function again instead.
void haveViewsReplayed() { c10::AutogradState::get_tls_state().set_view_replay_enabled(true); }

void dispatch(const OpEntry& entry, Stack* stack) {
  haveViewsReplayed();
  const at::AutoDispatchBelowADInplaceOrView below;
  // Autocast has handled the call; the operators that ranks run keep the dtypes it chose.
  const c10::impl::ExcludeDispatchKeyGuard cast(c10::autocast_dispatch_keyset);
  const auto count = entry.op.schema().arguments().size();
  const Args args(stack->data() + stack->size() - count, count);
  auto results = called(entry, args);
  torch::jit::drop(*stack, count);
  for (auto& result : results) stack->push_back(std::move(result));
}

// The kernel of an operator that is registered by name. Other operators get an entry at their first
// call, see entryOf().
struct Known final : c10::OperatorKernel {
  explicit Known(const c10::OperatorHandle& op) : entry(op) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    dispatch(entry, stack);
  }
  OpEntry entry;
};

// Entries are never removed, because cache keys contain their addresses.
const OpEntry& entryOf(const c10::OperatorHandle& op) {
  static std::mutex mutex;
  static std::unordered_map<c10::OperatorName, std::unique_ptr<const OpEntry>> entries;
  const std::lock_guard lock(mutex);
  auto& entry = entries[op.operator_name()];
  if (entry == nullptr) entry = std::make_unique<const OpEntry>(op);
  return *entry;
}

void dispatchOther(const c10::OperatorHandle& op, Stack* stack) { dispatch(entryOf(op), stack); }

}  // namespace

// Operators with a kernel for all backends never reach a backend's fallback, so each is registered
// by name. Operators that libtorch composes of others are not registered.
void registerDispatch() {
  static std::once_flag once;
  std::call_once(once, [] {
    static std::vector<c10::RegistrationHandleRAII> kHandles;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const auto& op : dispatchedOperators()) {
      auto kernel = c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Known>(op));
      kHandles.push_back(dispatcher.registerImpl(op.operator_name(), c10::DispatchKey::PrivateUse1,
                                                 std::move(kernel), std::nullopt, nullptr,
                                                 "shardlens"));
    }
    kHandles.push_back(dispatcher.registerFallback(
        c10::DispatchKey::PrivateUse1, c10::KernelFunction::makeFromBoxedFunction<&dispatchOther>(),
        "shardlens"));
    registerAttention();
    registerCrossEntropy();
    registerEmbeddingAutograd();
    registerGatherGradient();
    registerOneHot();
    registerReflections();
  });
}

}  // namespace shardlens
