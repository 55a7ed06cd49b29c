#include "core/tensor/dispatch/dispatch.h"

#include "core/tensor/composed/attention.h"
#include "core/tensor/composed/cross_entropy.h"
#include "core/tensor/composed/embedding_autograd.h"
#include "core/tensor/composed/gather_gradient.h"
#include "core/tensor/composed/one_hot.h"
#include "core/tensor/composed/reflections.h"
#include "core/tensor/dispatch/op_entry.h"
#include "core/tensor/dispatch/operators.h"
#include "core/tensor/dispatch/out_variant.h"
#include "core/tensor/dispatch/sharded_call.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/AutogradState.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;
using Args = ShardedCall::Args;

std::vector<c10::IValue> called(const OpEntry& entry, Args args) {
  if (entry.writesOut && entry.use.rule == nullptr) {
    if (const auto giving = givingVariant(entry.op)) return runIntoGiven(entry, *giving, args);
  }
  return ShardedCall(entry, args).run();
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
