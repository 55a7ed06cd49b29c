#include "core/tensor/composed/embedding_autograd.h"

#include "core/base/refusal.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>

namespace shardlens {
namespace {

// The spec of the table, for its gradient.
struct Table : torch::CustomClassHolder {
  explicit Table(Spec spec_) : spec(std::move(spec_)) {}
  Spec spec;
};

// Returns the ids, masked if the table's rows are sharded and the gradient is replicated there:
// each rank then sums the gradient of its own rows. Masks along all mesh dimensions that shard
// rows, or none.
at::Tensor maskedFor(const Spec& table, const at::Tensor& gradient, const at::Tensor& ids) {
  const auto& given = specOf(gradient).placements;
  Placements target = specOf(ids).placements;
  bool masks = false;
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    if (shardedDim(table.placements[dim]) != 0) continue;
    const bool whole = isReplicate(given[dim]) && isReplicate(target[dim]);
    if (!whole || !isShard(table.placements[dim])) return ids;
    target[dim] = MaskPartial{ReduceOp::Sum, table.meta.shape, 0};
    masks = true;
  }
  return masks ? redistributeIds(ids, target, Verdict::Implicit).ids : ids;
}

// Shards a replicated gradient like the table, where that sends nothing.
at::Tensor cutAs(const Spec& table, const at::Tensor& gradient) {
  const auto& lies = specOf(gradient).placements;
  Placements target = lies;
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    const auto cut = shardedDim(table.placements[dim]);
    bool whole = cut.has_value();
    for (std::size_t other = 0; other < target.size(); ++other) {
      if (shardedDim(table.placements[other]) == cut) whole = whole && isReplicate(lies[other]);
    }
    if (whole) target[dim] = table.placements[dim];
  }
  return target == lies ? gradient : redistribute(gradient, target);
}

struct Embedding : torch::autograd::Function<Embedding> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& weight,
                            const at::Tensor& ids, std::int64_t paddingIdx, bool byFrequency) {
    context->save_for_backward({ids});
    context->saved_data["table"] =
        c10::IValue::make_capsule(c10::make_intrusive<Table>(specOf(weight)));
    context->saved_data["padding"] = paddingIdx;
    context->saved_data["by frequency"] = byFrequency;
    const at::AutoDispatchBelowADInplaceOrView below;
    return at::embedding(weight, ids, paddingIdx, byFrequency);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["table"].toCapsule();
    const Spec& table = static_cast<const Table&>(*held).spec;
    const auto ids = maskedFor(table, gradients[0], context->get_saved_variables()[0]);
    const auto gradient = at::embedding_dense_backward(
        gradients[0], ids, table.meta.shape[0], context->saved_data["padding"].toInt(),
        context->saved_data["by frequency"].toBool());
    const at::Tensor none;
    return {cutAs(table, gradient), none, none, none};
  }
};

at::Tensor embedding(const at::Tensor& weight, const at::Tensor& ids, std::int64_t paddingIdx,
                     bool byFrequency, bool sparse) {
  const bool differentiated = at::GradMode::is_enabled() && weight.requires_grad();
  if (differentiated && sparse) {
    throw Refusal(
        "aten.embedding: got sparse=True for a table that requires a gradient, expected "
        "a dense one: sparse gradients are not sharded");
  }
  if (differentiated && isDTensor(weight) && isDTensor(ids)) {
    return Embedding::apply(weight, ids, paddingIdx, byFrequency);
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return at::embedding(weight, ids, paddingIdx, byFrequency, sparse);
}

}  // namespace

void registerEmbeddingAutograd() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradPrivateUse1,
                                __FILE__, __LINE__);
  library.impl("embedding", TORCH_FN(embedding));
}

}  // namespace shardlens
