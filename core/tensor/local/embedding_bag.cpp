#include "core/tensor/local/embedding_bag.h"

#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/bag_check.h"
#include "core/tensor/local/families.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

bool rowsAreCut(const Placements& table) {
  return std::any_of(table.begin(), table.end(), [](const auto& p) { return shardedDim(p) == 0; });
}

Chunk ownRows(const LocalCall& call, int rank) {
  const Spec& table = specOf(call.inputs[0]);
  const auto runs = ownedRuns(table.meta.shape, *table.mesh, table.placements, rank)[0];
  return runs.empty() ? Chunk{} : Chunk{runs.front().begin, runs.front().length};
}

// Returns true if ids after the last offset belong to no bag. libtorch puts them into the last bag,
// except in its fast path for contiguous rows.
bool endsAtLastOffset(const LocalCall& call, const std::optional<at::Tensor>& weights) {
  const auto& table = call.inputs[0];
  const auto type = table.scalar_type();
  const bool narrow = type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
  return call.args[7].toBool() && call.args[8].toInt() < 0 && narrow && table.stride(1) == 1 &&
         (!weights || weights->stride(0) == 1);
}

// Returns a rank's ids as bags; each but the last ends where the next begins.
Bags bagsOf(const LocalCall& call, const torch::jit::Stack& stack) {
  auto ids = stack[1].toTensor();
  const auto offsets = stack[2].toTensor();
  const auto count = offsets.size(0) - (call.args[7].toBool() ? 1 : 0);
  auto weights = holdsTensor(stack[6]) ? std::optional(stack[6].toTensor()) : std::nullopt;
  if (endsAtLastOffset(call, weights)) {
    const auto end = count == 0 ? 0 : offsets[-1].item<std::int64_t>();
    ids = ids.narrow(0, 0, end);
    if (weights) weights = weights->narrow(0, 0, end);
  }
  return {ids, weights, bagOfEach(offsets.narrow(0, 0, count), ids.numel()), count};
}

// Computes each rank's partial sum of every bag. The operator's other outputs do not depend on the
// table.
LocalResult bagPartials(const LocalCall& call) {
  constexpr std::int64_t kMean = 1;
  const auto padding = call.args[8].toInt();
  LocalResult result{std::vector<Buffers>(4)};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    const auto table = stack[0].toTensor();
    auto partials =
        bagOwned(table, ownRows(call, call.runtime.comm().hosted()[i]), bagsOf(call, stack),
                 padding < 0 ? std::nullopt : std::optional(padding), BagOf::Sum);
    stack[0] = at::zeros({call.inputs[0].size(0), 1}, table.options());
    call.op.callBoxed(&stack);
    if (call.args[4].toInt() == kMean) partials.div_(stack[2].toTensor().clamp_min(1).unsqueeze(1));
    result.outputs[0].push_back(std::move(partials));
    for (std::size_t k = 1; k < 4; ++k) result.outputs[k].push_back(stack[k].toTensor());
  }
  return result;
}

LocalResult embeddingBag(const LocalCall& call) {
  return rowsAreCut(call.plan.strategy.inputs[0]) ? bagPartials(call) : runPlain(call);
}

}  // namespace

at::Tensor bagOfEach(const at::Tensor& starts, std::int64_t n) {
  const auto bounds = starts.to(at::kLong);
  return at::searchsorted(bounds, at::arange(n, bounds.options()), /*out_int32=*/false,
                          /*right=*/true)
      .sub_(1);
}

at::Tensor bagOwned(const at::Tensor& table, Chunk rows, const Bags& bags,
                    std::optional<std::int64_t> paddingIdx, BagOf what) {
  auto kept = bags.ids.ge(rows.begin).bitwise_and_(bags.ids.lt(rows.begin + rows.length));
  if (paddingIdx) kept.bitwise_and_(bags.ids.ne(*paddingIdx));
  const auto ids = bags.ids.masked_select(kept).to(at::kLong).sub_(rows.begin);
  const auto counts = at::bincount(bags.bagOf.masked_select(kept), {}, bags.count);
  const auto starts = counts.cumsum(0).sub_(counts);
  const auto weights =
      bags.weights ? std::optional(bags.weights->masked_select(kept)) : std::nullopt;
  constexpr int kSum = 0, kMax = 2;
  const bool isLargest = what == BagOf::Largest;
  auto out = ids.numel() == 0 || table.size(1) == 0
                 ? at::zeros({bags.count, table.size(1)}, table.options())
                 : std::get<0>(at::_embedding_bag_forward_only(
                       table, ids, starts, /*scale_grad_by_freq=*/false, isLargest ? kMax : kSum,
                       /*sparse=*/false, weights));
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  return isLargest ? out.masked_fill_(counts.eq(0).unsqueeze(1), kLeast) : out;
}

std::vector<NamedKernel> embeddingBagKernels() {
  return {{"aten._embedding_bag", {.check = checkBags, .run = embeddingBag}},
          {"aten._embedding_bag_forward_only", {.check = checkBags, .run = embeddingBag}},
          {"aten._embedding_bag_backward", {.check = checkBagsBackward}},
          {"aten._embedding_bag_dense_backward", {.check = checkBagsDenseBackward}},
          {"aten._embedding_bag_per_sample_weights_backward", {.check = checkBagWeightsBackward}}};
}

}  // namespace shardlens
