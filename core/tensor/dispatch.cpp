#include "core/tensor/dispatch.h"

#include "core/model/shard_geometry.h"
#include "core/tensor/call_key.h"
#include "core/tensor/call_schema.h"
#include "core/tensor/distribute.h"
#include "core/tensor/explain.h"
#include "core/tensor/local_kernels.h"
#include "core/tensor/recording.h"
#include "core/tensor/redistribute.h"
#include "core/tensor/refusal.h"
#include "core/tensor/runtime.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include <mutex>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;
using Args = at::ArrayRef<c10::IValue>;

// One call of an operator on sharded tensors: unwrap, propagate, redistribute, run it on each
// hosted rank, wrap.
class Call {
 public:
  Call(const c10::OperatorHandle& op, Args args)
      : op_(op),
        args_(args),
        name_(operatorName(op)),
        inputs_(collectInputs(name_, args)),
        runtime_(*inputs_.runtime),
        kernel_(findLocalKernel(name_)) {}

  std::vector<c10::IValue> run() {
    const Span span(runtime_.recorder(), operatorEvent(runtime_, name_, inputs_.tensors));
    if (kernel_ != nullptr && kernel_->check != nullptr) kernel_->check(args_, inputs_.tensors);
    const CachedCallPtr answer = propagated();
    redistributeInputs(*answer);
    auto locals = runLocally(*answer);
    return wrapped(*answer, std::move(locals));
  }

 private:
  CachedCallPtr propagated() {
    const bool cached = runtime_.options().caches;
    auto& cache = runtime_.strategyCache();
    std::string key = cached ? callKey(op_, args_) : std::string();
    const auto* entry = cached ? cache.find(key) : nullptr;
    if (entry != nullptr) {
      noteStrategyLookup(runtime_, entry->value->schema, entry);
      return entry->value;
    }
    CachedCall answer;
    answer.schema = describeCall(op_, args_, inputs_);
    noteStrategyLookup(runtime_, answer.schema, nullptr);
    answer.rule = findRule(name_);
    if (answer.rule == nullptr) refuseUnknown();
    ++runtime_.propagations;
    answer.schema.outputs = outputsOf(answer);
    answer.propagation = orRefuse(propagate(answer.schema, *answer.rule, runtime_.options().costs));
    noteCandidates(runtime_, answer.propagation);
    for (std::size_t i = 0; i < answer.schema.outputs.size(); ++i) {
      answer.outputs.push_back(
          {runtime_.mesh(), answer.propagation.chosen.outputs[i], answer.schema.outputs[i]});
    }
    auto shared = std::make_shared<const CachedCall>(std::move(answer));
    if (cached) cache.insert(std::move(key), shared);
    return shared;
  }

  [[noreturn]] void refuseUnknown() const {
    const std::string overload = op_.schema().overload_name().empty() ? ".default" : "";
    throw Refusal("Operator " + name_ + overload +
                  " does not have a sharding strategy registered.");
  }

  std::vector<TensorMeta> outputsOf(const CachedCall& answer) const {
    if (answer.rule->outputs != nullptr) return answer.rule->outputs(answer.schema);
    std::vector<TensorMeta> flat;
    for (auto& metas : metaOutputs(op_, args_)) flat.insert(flat.end(), metas.begin(), metas.end());
    return flat;
  }

  void redistributeInputs(const CachedCall& answer) {
    const bool fused =
        kernel_ != nullptr && kernel_->masks && runtime_.options().masking == Masking::Fused;
    for (std::size_t i = 0; i < inputs_.tensors.size(); ++i) {
      auto& tensor = inputs_.tensors[i];
      const Placements& wanted = answer.propagation.chosen.inputs[i];
      if (isSharded(tensor) && specOf(tensor).placements == wanted) continue;
      const Placements current = inputSpec(tensor, runtime_).placements;
      Placements target = wanted;
      for (std::size_t dim = 0; dim < target.size(); ++dim) {
        const bool made = isMaskPartial(target[dim]) && target[dim] != current[dim];
        if (fused && made) target[dim] = Replicate{};
      }
      if (target == current) continue;
      // A plain scalar counts as replicated, and may have to become a term like any other.
      if (!isSharded(tensor)) tensor = distribute(inputs_.runtime, tensor, current);
      tensor = redistributeBelowAutograd(tensor, target, Verdict::Implicit);
      if (shardedImpl(tensor).pending() != nullptr) masked_ = shardedImpl(tensor).pending();
    }
  }

  // For each return of the operator, for each hosted rank, what it gave.
  std::vector<std::vector<c10::IValue>> runLocally(const CachedCall& answer) {
    Event event;
    Recorder& recorder = runtime_.recorder();
    if (recorder.on()) {
      event.kind = EventKind::Compute;
      event.name = recorder.intern("local " + shortName());
    }
    const Span span(recorder, event);
    if (kernel_ != nullptr && kernel_->run != nullptr) {
      auto result = kernel_->run({runtime_, answer, args_, inputs_.tensors});
      masks_ = std::move(result.masks);
      return {{result.locals.begin(), result.locals.end()}};
    }
    std::vector<std::vector<c10::IValue>> returns(op_.schema().returns().size());
    for (std::size_t rank = 0; rank < runtime_.comm().hosted().size(); ++rank) {
      Stack stack = localStack(answer, rank);
      op_.callBoxed(&stack);
      for (std::size_t i = 0; i < stack.size(); ++i) returns[i].push_back(std::move(stack[i]));
    }
    return returns;
  }

  Stack localStack(const CachedCall& answer, std::size_t rank) const {
    Stack stack;
    std::size_t next = 0;
    const auto& formal = op_.schema().arguments();
    for (std::size_t i = 0; i < args_.size(); ++i) {
      if (const auto local = localSize(answer, formal[i].name(), rank)) {
        stack.emplace_back(*local);
        continue;
      }
      stack.push_back(mapTensors(args_[i], [&](const at::Tensor&) {
        const auto& tensor = inputs_.tensors[next++];
        return isSharded(tensor) ? shardedImpl(tensor).locals()[rank] : tensor;
      }));
    }
    return stack;
  }

  // The argument where it says how large the result is, or how it lies, for a rank's part.
  std::optional<Shape> localSize(const CachedCall& answer, std::string_view arg,
                                 std::size_t rank) const {
    const bool isSize = arg == answer.rule->sizeArg;
    if (!isSize && arg != answer.rule->strideArg) return std::nullopt;
    const Spec& out = answer.outputs.front();
    auto shape =
        localShape(out.meta.shape, *out.mesh, out.placements, runtime_.comm().hosted()[rank]);
    return isSize ? shape : stridesInOrder(shape, out.meta.strides);
  }

  std::vector<c10::IValue> wrapped(const CachedCall& answer,
                                   std::vector<std::vector<c10::IValue>> returns) {
    if (answer.schema.inPlace) {
      recordResult(inputs_.tensors.front(), shardedImpl(inputs_.tensors.front()).name());
      return {args_.front()};
    }
    std::vector<c10::IValue> values;
    std::size_t output = 0;
    // By the schema, not by what came: a process may host no rank of a mesh.
    const auto& formal = op_.schema().returns();
    for (std::size_t i = 0; i < returns.size(); ++i) {
      auto& ranks = returns[i];
      if (formal[i].type()->kind() == c10::TypeKind::TensorType) {
        Buffers locals;
        for (auto& value : ranks) locals.push_back(std::move(value).toTensor());
        values.emplace_back(wrap(answer.outputs[output++], std::move(locals)));
        continue;
      }
      c10::List<at::Tensor> list;
      const std::size_t first = output;
      while (output < answer.outputs.size()) {
        Buffers locals;
        const std::size_t item = output - first;
        for (const auto& value : ranks) locals.push_back(value.toTensorVector()[item]);
        list.push_back(wrap(answer.outputs[output++], std::move(locals)));
      }
      values.emplace_back(std::move(list));
    }
    return values;
  }

  at::Tensor wrap(const Spec& spec, Buffers locals) {
    auto tensor = makeSharded(inputs_.runtime, spec, std::move(locals));
    auto& impl = shardedImpl(tensor);
    const std::string name = stepName().empty() ? shortName() : stepName();
    sharePending(impl, name);
    Recorder& recorder = runtime_.recorder();
    if (!masks_.empty()) impl.setMaskRecord(addMaskRecord(recorder, "mask of " + name, masks_));
    const EventId event = recordResult(tensor, name);
    if (!masks_.empty()) {
      recordValues(recorder, event, impl.maskRecord(), masks_, runtime_.comm().hosted());
    }
    return tensor;
  }

  // The result of a masked lookup is pending. The hold of ids that were masked for this call goes
  // over to it; ids that the program masked itself serve other lookups too, and each holds anew.
  void sharePending(ShardedTensorImpl& result, const std::string& name) const {
    const auto& placements = result.spec().placements;
    if (std::none_of(placements.begin(), placements.end(), isMaskPartial)) return;
    if (masked_ != nullptr) return result.setPending(masked_);
    for (const auto& input : inputs_.tensors) {
      if (!isSharded(input) || shardedImpl(input).pending() == nullptr) continue;
      result.setPending(shardedImpl(input).pending()->again(name));
    }
  }

  const std::string& stepName() const { return runtime_.recorder().resultName(); }
  std::string shortName() const { return name_.substr(name_.find('.') + 1); }

  const c10::OperatorHandle& op_;
  Args args_;
  std::string name_;
  CallInputs inputs_;
  Runtime& runtime_;
  const LocalKernel* kernel_;
  Buffers masks_;                        // of a fused lookup, while somebody looks
  std::shared_ptr<PendingMask> masked_;  // of ids that were masked for this call
};

void dispatch(const c10::OperatorHandle& op, Stack* stack) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const auto count = op.schema().arguments().size();
  const Args args(stack->data() + stack->size() - count, count);
  auto results = Call(op, args).run();
  torch::jit::drop(*stack, count);
  for (auto& result : results) stack->push_back(std::move(result));
}

bool takesTensors(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments()) {
    auto type = argument.type();
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (type->kind() == c10::TypeKind::TensorType) return true;
  }
  return false;
}

}  // namespace

// An operator with a kernel for all backends never reaches a backend's fallback, so each is
// registered by name; those that libtorch composes of others are left to be composed.
void registerDispatch() {
  static std::once_flag once;
  std::call_once(once, [] {
    static std::vector<c10::RegistrationHandleRAII> kHandles;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const auto& name : dispatcher.getAllOpNames()) {
      const auto op = dispatcher.findSchema(name);
      if (!op || name.name.rfind("aten::", 0) != 0 || !takesTensors(op->schema())) continue;
      if (op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) continue;
      kHandles.push_back(
          dispatcher.registerImpl(name, c10::DispatchKey::PrivateUse1,
                                  c10::KernelFunction::makeFromBoxedFunction<&dispatch>(),
                                  std::nullopt, nullptr, "shardlens"));
    }
    kHandles.push_back(dispatcher.registerFallback(
        c10::DispatchKey::PrivateUse1, c10::KernelFunction::makeFromBoxedFunction<&dispatch>(),
        "shardlens"));
  });
}

}  // namespace shardlens
