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

void checkTable(const std::string& name, const at::Tensor& weight) {
  if (weight.dim() == 2) return;
  throw Refusal(name + ": got a weight of " + std::to_string(weight.dim()) +
                " dimensions, expected 2");
}

// Masked ids were checked when they were masked.
void checkIds(const std::string& name, const at::Tensor& ids, std::int64_t rows) {
  if (isSharded(ids) && !isMasked(specOf(ids))) refuseBadIds(name, shardedImpl(ids), rows);
}

void checkEmbedding(Args, const std::vector<at::Tensor>& inputs) {
  checkTable("aten.embedding", inputs[0]);
  checkIds("aten.embedding", inputs[1], inputs[0].size(0));
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
  checkIds(name, ids, args[2].toInt());
}

// A rank looks its rows up. Where the ids are masked and nobody did so before, this pass does it
// and leaves zeros for the rows of others; a shard without rows has nothing to look up.
at::Tensor lookUp(const at::Tensor& weight, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask) {
  const auto table = weight.contiguous();
  const auto flat = ids.contiguous();
  auto shape = ids.sizes().vec();
  shape.push_back(weight.size(1));
  auto out = at::empty(shape, weight.options());
  kernels::maskedLookup(
      {table.const_data_ptr(),
       weight.size(1) * static_cast<std::int64_t>(weight.itemsize()),
       {rows.begin, rows.length}},
      kernelIds(flat), out.mutable_data_ptr(),
      mask.defined() ? static_cast<std::uint8_t*>(mask.mutable_data_ptr()) : nullptr);
  return out;
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

}  // namespace

std::vector<NamedKernel> embeddingKernels() {
  return {{"aten.embedding", {.check = checkEmbedding, .run = embedding, .masks = true}},
          {"aten.embedding_dense_backward", {.check = checkDenseBackward}}};
}

}  // namespace shardlens
