#include "core/tensor/local/embedding_bag.h"

#include "core/tensor/local/embedding.h"
#include "core/tensor/local/families.h"
#include "core/tensor/refusal.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

void refuseOtherDims(const std::string& where, const at::Tensor& tensor, std::int64_t dims) {
  if (tensor.dim() == dims) return;
  throw Refusal(where + ": got " + std::to_string(tensor.dim()) + " dimensions, expected " +
                std::to_string(dims));
}

// Its values, where every rank has all of them; undefined else, and where no rank is hosted.
at::Tensor wholeOf(const at::Tensor& tensor) {
  if (!isSharded(tensor)) return {};
  const auto& placements = specOf(tensor).placements;
  const bool everywhere = std::all_of(placements.begin(), placements.end(),
                                      [](const auto& each) { return isReplicate(each); });
  const auto& locals = shardedImpl(tensor).locals();
  return everywhere && !locals.empty() ? locals.front() : at::Tensor();
}

// A process that hosts none of the ranks has not seen what is wrong, and all refuse or none.
void refuseTogether(const std::string& name, const at::Tensor& sharded, const std::string& wrong) {
  const std::string told = wrong.empty() ? wrong : name + ": " + wrong;
  if (!isSharded(sharded)) {
    if (!told.empty()) throw Refusal(told);
    return;
  }
  for (const auto& words : shardedImpl(sharded).runtime().comm().exchangeWords(told)) {
    if (!words.empty()) throw Refusal(words);
  }
}

// What is wrong with where the bags of so many ids begin, if anything.
std::string wrongOffsets(const at::Tensor& offsets, std::int64_t ids) {
  const auto end = std::to_string(ids);
  if (offsets.numel() == 0)
    return ids == 0 ? "" : "offsets: got none, expected some for " + end + " ids";
  const auto starts = wholeOf(offsets);
  if (!starts.defined()) return {};
  const auto first = starts[0].item<std::int64_t>();
  if (first != 0) return "offsets[0] has to be 0, got " + std::to_string(first);
  if (starts.diff().lt(0).any().item<bool>()) {
    return "offsets: got one below that before it, expected ascending ones up to " + end;
  }
  const auto last = starts[-1].item<std::int64_t>();
  return last <= ids ? "" : "offsets: got " + std::to_string(last) + ", expected at most " + end;
}

// What is wrong with the bags that the ids are said to be in, if anything.
std::string wrongBags(const at::Tensor& offset2bag, std::int64_t ids, std::int64_t bags) {
  if (offset2bag.numel() != ids) {
    return "offset2bag: got " + std::to_string(offset2bag.numel()) + " bags, expected one for " +
           "each of " + std::to_string(ids) + " ids";
  }
  const auto values = wholeOf(offset2bag);
  if (!values.defined() || ids == 0) return {};
  const auto outside = values.lt(0).logical_or_(values.ge(bags));
  if (!outside.any().item<bool>()) return {};
  return "offset2bag: got " +
         std::to_string(values.masked_select(outside)[0].item<std::int64_t>()) +
         ", expected 0 to " + std::to_string(bags - 1);
}

// weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, padding_idx
void checkBags(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._embedding_bag";
  const auto &table = inputs[0], &ids = inputs[1], &offsets = inputs[2];
  refuseOtherTable(name, table);
  refuseOtherDims(name + ": ids", ids, 1);
  refuseOtherDims(name + ": offsets", offsets, 1);
  if (args[7].toBool() && offsets.numel() == 0) {
    throw Refusal(name + ": got no offsets, expected at least the last one");
  }
  refuseTogether(name, table, wrongOffsets(offsets, ids.numel()));
  refuseIdsOutside(name, ids, table.size(0));
  if (table.requires_grad() && args[5].toBool()) {
    throw Refusal(name + ": got sparse=True, expected a dense gradient");
  }
}

// What backward operators get of the ids and their bags.
struct GivenBags {
  at::Tensor gradient;
  at::Tensor ids;
  at::Tensor offset2bag;
  std::int64_t rows;
};

void checkGiven(const std::string& name, const GivenBags& given) {
  refuseOtherDims(name + ": grad", given.gradient, 2);
  refuseOtherDims(name + ": ids", given.ids, 1);
  refuseOtherDims(name + ": offset2bag", given.offset2bag, 1);
  refuseTogether(name, given.gradient,
                 wrongBags(given.offset2bag, given.ids.numel(), given.gradient.size(0)));
  refuseIdsOutside(name, given.ids, given.rows);
}

// The same where offset2bag may be empty: libtorch then finds the bags by the offsets. Of ids after
// the last offset it would read rows that the gradient does not have.
void checkGiven(const std::string& name, const GivenBags& given, const at::Tensor& offsets) {
  if (given.offset2bag.numel() > 0) return checkGiven(name, given);
  refuseOtherDims(name + ": grad", given.gradient, 2);
  refuseOtherDims(name + ": ids", given.ids, 1);
  refuseOtherDims(name + ": offsets", offsets, 1);
  const auto ids = given.ids.numel(), bags = given.gradient.size(0);
  const auto more = offsets.numel() - bags;
  if (more != 0 && more != 1) {
    throw Refusal(name + ": got " + std::to_string(offsets.numel()) + " offsets, expected " +
                  std::to_string(bags) + ", or one more at the end");
  }
  auto wrong = wrongOffsets(offsets, ids);
  const auto starts = wholeOf(offsets);
  if (wrong.empty() && more == 1 && starts.defined() && starts[-1].item<std::int64_t>() != ids) {
    wrong = "offsets: got " + std::to_string(starts[-1].item<std::int64_t>()) +
            " at the end, expected " + std::to_string(ids);
  }
  refuseTogether(name, given.gradient, wrong);
  refuseIdsOutside(name, given.ids, given.rows);
}

// grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
// mode, sparse, ...
void checkBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._embedding_bag_backward";
  if (args[9].toBool()) throw Refusal(name + ": got sparse=True, expected a dense gradient");
  checkGiven(name, {args[0].toTensor(), args[1].toTensor(), args[3].toTensor(), args[6].toInt()},
             args[2].toTensor());
}

// grad, indices, offset2bag, bag_size, maximum_indices, num_weights, ...
void checkDenseBackward(Args args, const std::vector<at::Tensor>&) {
  checkGiven("aten._embedding_bag_dense_backward",
             {args[0].toTensor(), args[1].toTensor(), args[2].toTensor(), args[5].toInt()});
}

// grad, weight, indices, offsets, offset2bag, ...
void checkWeightsBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._embedding_bag_per_sample_weights_backward";
  const auto table = args[1].toTensor();
  refuseOtherTable(name, table);
  checkGiven(name, {args[0].toTensor(), args[2].toTensor(), args[4].toTensor(), table.size(0)},
             args[3].toTensor());
}

bool rowsAreCut(const Placements& table) {
  return std::any_of(table.begin(), table.end(), [](const auto& p) { return shardedDim(p) == 0; });
}

Chunk ownRows(const LocalCall& call, int rank) {
  const Spec& table = specOf(call.inputs[0]);
  const auto runs = ownedRuns(table.meta.shape, *table.mesh, table.placements, rank)[0];
  return runs.empty() ? Chunk{} : Chunk{runs.front().begin, runs.front().length};
}

// Whether ids after the last offset are in no bag. Only where libtorch adds up rows that lie one
// after another they are not: else it has them in the last bag.
bool endsAtLastOffset(const LocalCall& call, const std::optional<at::Tensor>& weights) {
  const auto& table = call.inputs[0];
  const auto type = table.scalar_type();
  const bool narrow = type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
  return call.args[7].toBool() && call.args[8].toInt() < 0 && narrow && table.stride(1) == 1 &&
         (!weights || weights->stride(0) == 1);
}

// The ids of a rank in bags of which each but the last ends where the next begins.
Bags bagsOf(const LocalCall& call, const torch::jit::Stack& stack) {
  auto ids = stack[1].toTensor();
  const auto offsets = stack[2].toTensor();
  const auto count = offsets.size(0) - (call.args[7].toBool() ? 1 : 0);
  // None, or a tensor that is undefined.
  const bool weighed = stack[6].isTensor() && stack[6].toTensor().defined();
  auto weights = weighed ? std::optional(stack[6].toTensor()) : std::nullopt;
  if (endsAtLastOffset(call, weights)) {
    const auto end = count == 0 ? 0 : offsets[-1].item<std::int64_t>();
    ids = ids.narrow(0, 0, end);
    if (weights) weights = weights->narrow(0, 0, end);
  }
  return {ids, weights, bagOfEach(offsets.narrow(0, 0, count), ids.numel()), count};
}

// Each rank's part of every bag, a term of the sum; what else the operator tells of the bags is the
// same for every table.
LocalResult bagTerms(const LocalCall& call) {
  constexpr std::int64_t kMean = 1;
  const auto padding = call.args[8].toInt();
  LocalResult result{std::vector<Buffers>(4)};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    const auto table = stack[0].toTensor();
    auto terms =
        bagOwned(table, ownRows(call, call.runtime.comm().hosted()[i]), bagsOf(call, stack),
                 padding < 0 ? std::nullopt : std::optional(padding), BagOf::Sum);
    stack[0] = at::zeros({call.inputs[0].size(0), 1}, table.options());
    call.op.callBoxed(&stack);
    if (call.args[4].toInt() == kMean) terms.div_(stack[2].toTensor().clamp_min(1).unsqueeze(1));
    result.outputs[0].push_back(std::move(terms));
    for (std::size_t k = 1; k < 4; ++k) result.outputs[k].push_back(stack[k].toTensor());
  }
  return result;
}

LocalResult embeddingBag(const LocalCall& call) {
  return rowsAreCut(call.plan.propagation.chosen.inputs[0]) ? bagTerms(call) : runPlain(call);
}

}  // namespace

at::Tensor bagOfEach(const at::Tensor& starts, std::int64_t n) {
  return at::searchsorted(starts.to(at::kLong), at::arange(n), /*out_int32=*/false, /*right=*/true)
      .sub_(1);
}

at::Tensor bagOwned(const at::Tensor& table, Chunk rows, const Bags& bags,
                    std::optional<std::int64_t> paddingIdx, BagOf what) {
  auto kept = bags.ids.ge(rows.begin).logical_and_(bags.ids.lt(rows.begin + rows.length));
  if (paddingIdx) kept.logical_and_(bags.ids.ne(*paddingIdx));
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
          {"aten._embedding_bag_backward", {.check = checkBackward}},
          {"aten._embedding_bag_dense_backward", {.check = checkDenseBackward}},
          {"aten._embedding_bag_per_sample_weights_backward", {.check = checkWeightsBackward}}};
}

}  // namespace shardlens
