#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/model/shard_order.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Tensors of [batch, heads, length, width]. Equally many query heads share each key head. Checked
// here because the kernel does not: scaled_dot_product_attention chooses it for such inputs only.
struct Heads {
  at::Tensor query, key, value;
};

void checkHeads(const std::string& name, const Heads& heads) {
  const auto& [query, key, value] = heads;
  expectDims(name + ": query", query, 4);
  expectDims(name + ": key", key, 4);
  const auto type = query.scalar_type();
  if (!at::isFloatingType(type)) {
    throw Refusal(name + ": query: got " + c10::toString(type) + ", expected fractions");
  }
  if (query.numel() == 0 || key.numel() == 0) {
    throw Refusal(name + ": got no elements, expected some");
  }
  const auto shared = query.size(1) % key.size(1) == 0 ? key.size(1) : query.size(1);
  expectShape(name + ": key", key, {query.size(0), shared, key.size(2), query.size(3)});
  expectShape(name + ": value", value, key.sizes());
  expectDType(name + ": key", key, type);
  expectDType(name + ": value", value, type);
}

// Throws Refusal unless the mask broadcasts to [batch, heads, queries, keys].
void checkMask(const std::string& name, const Heads& heads, const c10::IValue& given) {
  if (given.isNone() || !given.toTensor().defined()) return;
  const auto mask = given.toTensor();
  const std::int64_t whole[] = {heads.query.size(0), heads.query.size(1), heads.query.size(2),
                                heads.key.size(2)};
  const auto dims = static_cast<std::size_t>(mask.dim());
  bool fits = dims == 2 || dims == 4;
  for (std::size_t dim = 0; fits && dim < dims; ++dim) {
    const auto size = mask.sizes()[dim];
    fits = size == 1 || size == whole[4 - dims + dim];
  }
  if (!fits) {
    throw Refusal(name + ": attn_mask: got shape " + toText(mask.sizes().vec()) +
                  ", expected one that stretches to " + toText(Shape(whole, whole + 4)));
  }
  if (mask.scalar_type() != at::kFloat) {
    expectDType(name + ": attn_mask", mask, heads.query.scalar_type());
  }
}

// query, key, value, dropout_p, is_causal, *, attn_mask, scale
void checkAttentionForward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._scaled_dot_product_flash_attention_for_cpu";
  const Heads heads{args[0].toTensor(), args[1].toTensor(), args[2].toTensor()};
  checkHeads(name, heads);
  checkMask(name, heads, args[5]);
}

// grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask, scale
void checkAttentionBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._scaled_dot_product_flash_attention_for_cpu_backward";
  const Heads heads{args[1].toTensor(), args[2].toTensor(), args[3].toTensor()};
  checkHeads(name, heads);
  const auto& query = heads.query;
  for (const auto& [at, argument] : {std::pair{0, "grad_out"}, std::pair{4, "out"}}) {
    const auto tensor = args[static_cast<std::size_t>(at)].toTensor();
    expectShape(name + ": " + argument, tensor, query.sizes());
    expectDType(name + ": " + argument, tensor, query.scalar_type());
  }
  const auto sums = args[5].toTensor();
  expectShape(name + ": logsumexp", sums, query.sizes().slice(0, 3));
  expectDType(name + ": logsumexp", sums,
              query.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
  checkMask(name, heads, args[8]);
}

constexpr int kSequence = 2;
constexpr double kNever = -std::numeric_limits<double>::infinity();  // the score of a masked key

// The positions of a call's arguments: `query` among the inputs; `causal` and `mask` among
// all arguments.
struct Places {
  std::size_t query, causal, mask;
};
constexpr Places kForward{0, 4, 5}, kBackward{1, 7, 8};

// Returns the global index of the rank's first element along the sequence.
std::int64_t firstOf(const LocalCall& call, std::size_t input, std::size_t i) {
  const auto runs =
      ownedRuns(call.plan.schema.input(input).shape, *call.runtime.mesh(),
                call.plan.strategy.inputs[input], call.runtime.comm().hosted()[i])[kSequence];
  return runs.empty() ? 0 : runs.front().begin;
}

// Returns a rank's arguments. The kernel counts queries and keys from the rank's first ones, so a
// causal mask of the whole sequences is passed explicitly.
torch::jit::Stack argumentsOf(const LocalCall& call, const Places& places, std::size_t i) {
  auto stack = call.arguments(i);
  const auto query = places.query, key = places.query + 1;
  const auto begin = firstOf(call, query, i) - firstOf(call, key, i);
  const auto &queries = call.local(query, i), &keys = call.local(key, i);
  const bool isWhole = queries.size(kSequence) == call.inputs[query].size(kSequence) &&
                       keys.size(kSequence) == call.inputs[key].size(kSequence);
  if (isWhole || !stack[places.causal].toBool()) return stack;
  auto mask = at::full({queries.size(kSequence), keys.size(kSequence)}, kNever, queries.options())
                  .triu(begin + 1);
  if (const auto& given = stack[places.mask]; holdsTensor(given)) {
    mask = given.toTensor() + mask;
  }
  stack[places.causal] = false;
  stack[places.mask] = mask;
  return stack;
}

// Combines results that each cover one rank's keys. Each is weighted by its part of the sum of
// exponentials, computed from `logs` after subtracting the maximum. Collective.
void combine(const LocalCall& call, const std::vector<int>& meshDims, Buffers& y, Buffers& logs) {
  const auto& groups = call.runtime.groups(meshDims).set();
  Buffers greatest, sums, own;
  for (const auto& each : logs) greatest.push_back(at::empty_like(each));
  call.runtime.comm().allReduce(groups, logs, greatest, {ReduceOp::Max});
  for (std::size_t i = 0; i < logs.size(); ++i) {
    own.push_back((logs[i] - greatest[i].clamp_min(std::numeric_limits<float>::lowest())).exp());
    sums.push_back(at::empty_like(own[i]));
  }
  call.runtime.comm().allReduce(groups, own, sums, {ReduceOp::Sum});
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const auto part = own[i] / sums[i].clamp_min(1);  // sums are >= 1, or 0 without keys
    y[i] = (y[i] * part.unsqueeze(-1)).to(y[i].scalar_type());
    logs[i] = greatest[i] + sums[i].log();
    logs[i].masked_fill_(sums[i] == 0, 0);  // as the kernel returns
  }
}

LocalResult attention(const LocalCall& call) {
  const auto apart = shardingMeshDims(call.plan.strategy.inputs[1], kSequence);
  LocalResult result{{{}, {}}};
  auto &y = result.outputs[0], &logs = result.outputs[1];
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& query = call.local(0, i);
    if (query.is_meta()) {
      const auto empty = [&](std::size_t output) {
        const auto& layout = *call.plan.outputs[output];
        return at::empty(layout.localShapes[i],
                         query.options().dtype(scalarType(layout.spec.meta.dtype)));
      };
      y.push_back(empty(0));
      logs.push_back(empty(1));
      continue;
    }
    auto stack = argumentsOf(call, kForward, i);
    const auto mask = stack[kForward.mask];
    call.op.callBoxed(&stack);
    y.push_back(stack[0].toTensor());
    logs.push_back(stack[1].toTensor());
    if (apart.empty() || !holdsTensor(mask)) continue;
    // The kernel returns 0 for a query that attends to none of the rank's keys.
    logs[i] = logs[i].masked_fill(mask.toTensor().amax(-1) == kNever, kNever);
  }
  if (!apart.empty()) combine(call, apart, y, logs);
  return result;
}

LocalResult attentionBackward(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = argumentsOf(call, kBackward, i);
    call.op.callBoxed(&stack);
    return stack;
  });
}

}  // namespace

std::vector<NamedKernel> attentionKernels() {
  return {{"aten._scaled_dot_product_flash_attention_for_cpu",
           {.check = checkAttentionForward, .run = attention, .runsDry = true}},
          {"aten._scaled_dot_product_flash_attention_for_cpu_backward",
           {.check = checkAttentionBackward, .run = attentionBackward}}};
}

}  // namespace shardlens
