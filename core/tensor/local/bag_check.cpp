#include "core/tensor/local/bag_check.h"

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/embedding.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

void expectMode(const std::string& name, std::int64_t mode) {
  if (mode >= 0 && mode <= 2) return;
  throw Refusal(fmt::format("{}: mode: got {}, expected 0 (sum), 1 (mean) or 2 (max)", name, mode));
}

// Returns the values of a replicated tensor; undefined if it is not replicated or no rank is
// hosted.
at::Tensor wholeOf(const at::Tensor& tensor) {
  if (!isDTensor(tensor)) return {};
  const auto& placements = specOf(tensor).placements;
  const bool everywhere = std::all_of(placements.begin(), placements.end(),
                                      [](const auto& each) { return isReplicate(each); });
  const auto& locals = dtensorImpl(tensor).locals();
  return everywhere && !locals.empty() ? locals.front() : at::Tensor();
}

// Throws Refusal if `wrong` is not empty. For a sharded tensor, all processes throw if one does.
void refuseWrong(const std::string& name, const at::Tensor& tensor, const std::string& wrong) {
  const std::string message = wrong.empty() ? wrong : name + ": " + wrong;
  if (isDTensor(tensor)) return refuseTogether(dtensorImpl(tensor).runtime().comm(), message);
  if (!message.empty()) throw Refusal(message);
}

// Returns an error text if the offsets are not those of bags of `ids` ids, else an empty one.
std::string wrongOffsets(const at::Tensor& offsets, std::int64_t ids) {
  if (offsets.numel() == 0)
    return ids == 0 ? "" : fmt::format("offsets: got none, expected some for {} ids", ids);
  const auto starts = wholeOf(offsets);
  if (!starts.defined()) return {};
  const auto first = starts[0].item<std::int64_t>();
  if (first != 0) return "offsets[0] has to be 0, got " + std::to_string(first);
  if (starts.diff().lt(0).any().item<bool>()) {
    return fmt::format("offsets: got one below that before it, expected ascending ones up to {}",
                       ids);
  }
  const auto last = starts[-1].item<std::int64_t>();
  return last <= ids ? "" : fmt::format("offsets: got {}, expected at most {}", last, ids);
}

// Returns an error text if an id has no valid bag, else an empty one.
std::string wrongBags(const at::Tensor& offset2bag, std::int64_t ids, std::int64_t bags) {
  if (offset2bag.numel() != ids) {
    return fmt::format("offset2bag: got {} bags, expected one for each of {} ids",
                       offset2bag.numel(), ids);
  }
  const auto values = wholeOf(offset2bag);
  if (!values.defined() || ids == 0) return {};
  const auto outside = values.lt(0).bitwise_or_(values.ge(bags));
  if (!outside.any().item<bool>()) return {};
  return fmt::format("offset2bag: got {}, expected 0 to {}",
                     values.masked_select(outside)[0].item<std::int64_t>(), bags - 1);
}

// The arguments that the backward operators have in common.
struct GivenBags {
  at::Tensor gradient;
  at::Tensor ids;
  at::Tensor offset2bag;
  std::int64_t rows;
};

void checkGiven(const std::string& name, const GivenBags& given) {
  expectDims(name + ": grad", given.gradient, 2);
  expectDims(name + ": ids", given.ids, 1);
  expectDims(name + ": offset2bag", given.offset2bag, 1);
  refuseWrong(name, given.gradient,
              wrongBags(given.offset2bag, given.ids.numel(), given.gradient.size(0)));
  refuseIdsOutside(name, given.ids, given.rows);
}

// As above, if offset2bag may be empty: libtorch then computes the bags from the offsets. It would
// read rows beyond the gradient for ids after the last offset.
void checkGiven(const std::string& name, const GivenBags& given, const at::Tensor& offsets) {
  if (given.offset2bag.numel() > 0) return checkGiven(name, given);
  expectDims(name + ": grad", given.gradient, 2);
  expectDims(name + ": ids", given.ids, 1);
  expectDims(name + ": offsets", offsets, 1);
  const auto ids = given.ids.numel(), bags = given.gradient.size(0);
  const auto more = offsets.numel() - bags;
  if (more != 0 && more != 1) {
    throw Refusal(fmt::format("{}: got {} offsets, expected {}, or one more at the end", name,
                              offsets.numel(), bags));
  }
  auto wrong = wrongOffsets(offsets, ids);
  const auto starts = wholeOf(offsets);
  if (wrong.empty() && more == 1 && starts.defined() && starts[-1].item<std::int64_t>() != ids) {
    wrong = fmt::format("offsets: got {} at the end, expected {}", starts[-1].item<std::int64_t>(),
                        ids);
  }
  refuseWrong(name, given.gradient, wrong);
  refuseIdsOutside(name, given.ids, given.rows);
}

}  // namespace

// weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, padding_idx
void checkBags(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._embedding_bag";
  const auto &table = inputs[0], &ids = inputs[1], &offsets = inputs[2];
  expectMode(name, args[4].toInt());
  refuseOtherTable(name, table);
  expectDims(name + ": ids", ids, 1);
  expectDims(name + ": offsets", offsets, 1);
  if (args[7].toBool() && offsets.numel() == 0) {
    throw Refusal(name + ": got no offsets, expected at least the last one");
  }
  refuseWrong(name, table, wrongOffsets(offsets, ids.numel()));
  refuseIdsOutside(name, ids, table.size(0));
  if (table.requires_grad() && args[5].toBool()) {
    throw Refusal(name + ": got sparse=True, expected a dense gradient");
  }
}

// grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
// mode, sparse, ...
void checkBagsBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._embedding_bag_backward";
  if (args[9].toBool()) throw Refusal(name + ": got sparse=True, expected a dense gradient");
  expectMode(name, args[8].toInt());
  checkGiven(name, {args[0].toTensor(), args[1].toTensor(), args[3].toTensor(), args[6].toInt()},
             args[2].toTensor());
}

// grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, ...
void checkBagsDenseBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._embedding_bag_dense_backward";
  expectMode(name, args[7].toInt());
  checkGiven(name, {args[0].toTensor(), args[1].toTensor(), args[2].toTensor(), args[5].toInt()});
}

// grad, weight, indices, offsets, offset2bag, mode, ...
void checkBagWeightsBackward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._embedding_bag_per_sample_weights_backward";
  expectMode(name, args[5].toInt());
  const auto table = args[1].toTensor();
  refuseOtherTable(name, table);
  checkGiven(name, {args[0].toTensor(), args[2].toTensor(), args[4].toTensor(), table.size(0)},
             args[3].toTensor());
}

}  // namespace shardlens
