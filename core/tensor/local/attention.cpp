#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Tensors of [batch, heads, length, width]; query heads share keys in groups of as many.
// scaled_dot_product_attention chooses this kernel for nothing else, and the kernel does not look.
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

// Stretched over the batch, the heads, the queries or the keys.
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
void checkForward(Args args, const std::vector<at::Tensor>&) {
  const std::string name = "aten._scaled_dot_product_flash_attention_for_cpu";
  const Heads heads{args[0].toTensor(), args[1].toTensor(), args[2].toTensor()};
  checkHeads(name, heads);
  checkMask(name, heads, args[5]);
}

// grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask, scale
void checkBackward(Args args, const std::vector<at::Tensor>&) {
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

}  // namespace

std::vector<NamedKernel> attentionKernels() {
  return {{"aten._scaled_dot_product_flash_attention_for_cpu", {.check = checkForward}},
          {"aten._scaled_dot_product_flash_attention_for_cpu_backward", {.check = checkBackward}}};
}

}  // namespace shardlens
