#include "core/tensor/local/embedding.h"

#include "core/tensor/id_check.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/masked.h"
#include "core/tensor/refusal.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

bool isMasked(const Spec& spec) {
  return std::any_of(spec.placements.begin(), spec.placements.end(), isMaskPartial);
}

kernels::FloatType floatType(at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return kernels::FloatType::Float16;
    case at::kBFloat16:
      return kernels::FloatType::BFloat16;
    case at::kFloat:
      return kernels::FloatType::Float32;
    case at::kDouble:
      return kernels::FloatType::Float64;
    default:
      throw Refusal(std::string("the gradient of a lookup: got ") + c10::toString(type) +
                    ", expected floating-point numbers");
  }
}

void checkEmbedding(Args, const std::vector<at::Tensor>& inputs) {
  refuseOtherTable("aten.embedding", inputs[0]);
  refuseIdsOutside("aten.embedding", inputs[1], inputs[0].size(0));
}

void checkDenseBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.embedding_dense_backward";
  const auto& gradient = inputs[0];
  const auto& ids = inputs[1];
  if (gradient.dim() != ids.dim() + 1 ||
      gradient.sizes().slice(0, static_cast<std::size_t>(ids.dim())) != ids.sizes()) {
    throw Refusal(name + ": got a gradient of shape " + toText(gradient.sizes().vec()) +
                  " for ids of shape " + toText(ids.sizes().vec()) +
                  ", expected that shape and a width");
  }
  refuseIdsOutside(name, ids, args[2].toInt());
}

LocalResult embedding(const LocalCall& call) {
  const auto lookup = MaskedLookup::of(call, 1);
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& table = call.local(0, i);
    const auto& ids = call.local(1, i);
    const Chunk rows =
        lookup ? lookup->rows(call.runtime.comm().hosted()[i]) : Chunk{0, table.size(0)};
    at::Tensor mask;
    if (lookup && lookup->looks()) {
      mask = at::empty(ids.sizes(), ids.options().dtype(at::kBool));
      result.masks.push_back(mask);
    }
    result.outputs.front().push_back(lookUp(table, ids, rows, mask));
  }
  return result;
}

// The rows that a rank adds up where its ids are masked for it.
std::optional<MaskPartial> maskOf(const Placements& ids) {
  const auto it = std::find_if(ids.begin(), ids.end(), isMaskPartial);
  return it == ids.end() ? std::nullopt : std::optional(std::get<MaskPartial>(*it));
}

LocalResult denseBackward(const LocalCall& call) {
  const Placements& placements = call.plan.propagation.chosen.inputs[1];
  const auto masked = maskOf(placements);
  if (!masked) return runPlain(call);
  const auto padding = call.args[3].toInt();
  const bool byFrequency = call.args[4].toBool();
  const auto& unmasked = shardedImpl(call.inputs[1]).unmasked();
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const Chunk rows =
        ownedRows(*call.runtime.mesh(), placements, *masked, call.runtime.comm().hosted()[i]);
    const auto& ids = unmasked.empty() ? call.local(1, i) : unmasked[i];
    auto table = addUp(call.local(0, i), ids, rows, padding);
    if (byFrequency) {
      const auto own =
          ids.masked_select(ids.ge(rows.begin).logical_and_(ids.lt(rows.begin + rows.length)));
      table.div_(at::bincount(own.sub(rows.begin), {}, rows.length).clamp_min_(1).unsqueeze(1));
    }
    result.outputs.front().push_back(std::move(table));
  }
  return result;
}

}  // namespace

void refuseOtherTable(const std::string& name, const at::Tensor& weight) {
  if (weight.dim() == 2) return;
  throw Refusal(name + ": got a weight of " + std::to_string(weight.dim()) +
                " dimensions, expected 2");
}

void refuseIdsOutside(const std::string& name, const at::Tensor& ids, std::int64_t rows) {
  if (isSharded(ids) && !isMasked(specOf(ids))) refuseBadIds(name, shardedImpl(ids), rows);
}

// One pass masks, shifts, looks up and zeroes; a shard without rows has nothing to look up.
at::Tensor lookUp(const at::Tensor& table, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask) {
  const auto dense = table.contiguous();
  const auto flat = ids.contiguous();
  auto shape = ids.sizes().vec();
  shape.push_back(table.size(1));
  auto out = at::empty(shape, table.options());
  kernels::maskedLookup(
      {dense.const_data_ptr(),
       table.size(1) * static_cast<std::int64_t>(table.itemsize()),
       {rows.begin, rows.length}},
      kernelIds(flat), out.mutable_data_ptr(),
      mask.defined() ? static_cast<std::uint8_t*>(mask.mutable_data_ptr()) : nullptr);
  return out;
}

at::Tensor addUp(const at::Tensor& gradient, const at::Tensor& ids, Chunk rows,
                 std::optional<std::int64_t> paddingIdx) {
  const auto grads = gradient.contiguous();
  const auto flat = ids.contiguous();
  auto out = at::zeros({rows.length, gradient.size(-1)}, gradient.options());
  kernels::scatterAddRows(
      kernelIds(flat),
      {grads.const_data_ptr(), floatType(gradient.scalar_type()), gradient.size(-1)},
      {rows.begin, rows.length}, paddingIdx, out.mutable_data_ptr());
  return out;
}

std::vector<NamedKernel> embeddingKernels() {
  return {{"aten.embedding", {.check = checkEmbedding, .run = embedding, .masks = true}},
          {"aten.embedding_dense_backward",
           {.check = checkDenseBackward, .run = denseBackward, .masks = true}}};
}

}  // namespace shardlens
