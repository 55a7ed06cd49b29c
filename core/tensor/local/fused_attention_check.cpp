#include "core/tensor/local/fused_attention_check.h"

#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

constexpr auto kFlash = "aten._scaled_dot_product_flash_attention";
constexpr auto kFlashBackward = "aten._scaled_dot_product_flash_attention_backward";
constexpr auto kCudnn = "aten._scaled_dot_product_cudnn_attention";
constexpr auto kCudnnBackward = "aten._scaled_dot_product_cudnn_attention_backward";
constexpr auto kEfficient = "aten._scaled_dot_product_efficient_attention";
constexpr auto kEfficientBackward = "aten._scaled_dot_product_efficient_attention_backward";

// Throws Refusal unless query, key and value, the arguments from `at` on, are [batch, heads,
// length, width] with equally many query heads per key head.
void checkQueryKeyValue(const std::string& name, Args args, std::size_t at) {
  const auto query = args[at].toTensor(), key = args[at + 1].toTensor(),
             value = args[at + 2].toTensor();
  expectDims(name + ": query", query, 4);
  expectDims(name + ": key", key, 4);
  expectDims(name + ": value", value, 4);
  if (query.numel() == 0 || key.numel() == 0 || value.numel() == 0) {
    throw Refusal(name + ": got no elements, expected some");
  }
  const auto shared = query.size(1) % key.size(1) == 0 ? key.size(1) : query.size(1);
  expectShape(name + ": key", key, {query.size(0), shared, key.size(2), query.size(3)});
  expectShape(name + ": value", value, {query.size(0), shared, key.size(2), value.size(3)});
  expectDType(name + ": key", key, query.scalar_type());
  expectDType(name + ": value", value, query.scalar_type());
}

// Throws Refusal for dropout: a GPU draws other numbers than the processor.
void refuseDropout(const std::string& name, const c10::IValue& dropout) {
  if (dropout.toDouble() == 0) return;
  throw Refusal(name + ": dropout_p: got " + std::to_string(dropout.toDouble()) +
                ", expected 0, because a GPU draws other random numbers than simulated ranks; "
                "scaled_dot_product_attention draws them on the processor");
}

void refuseDebugMask(const std::string& name, const c10::IValue& requested) {
  if (!requested.toBool()) return;
  throw Refusal(name + ": return_debug_mask: got true, expected false");
}

// Throws Refusal unless a bias broadcasts to the scores, [batch, heads, queries, keys]. A bias of
// three dimensions is one for all members and heads. `whole`: the bias must have that shape.
void checkBias(const std::string& name, Args args, std::size_t query, std::size_t at, bool whole) {
  if (!holdsTensor(args[at])) return;
  const auto q = args[query].toTensor(), k = args[query + 1].toTensor(), bias = args[at].toTensor();
  const std::int64_t scores[] = {q.size(0), q.size(1), q.size(2), k.size(2)};
  if (whole) expectShape(name + ": attn_bias", bias, scores);
  const auto dims = static_cast<std::size_t>(bias.dim());
  bool fits = dims >= 2 && dims <= 4 && (dims != 3 || bias.size(0) == 1);
  for (std::size_t dim = 0; fits && dim < dims; ++dim) {
    fits = bias.sizes()[dim] == 1 || bias.sizes()[dim] == scores[4 - dims + dim];
  }
  if (!fits) {
    throw Refusal(name + ": attn_bias: got shape " + toText(bias.sizes().vec()) +
                  ", expected one that stretches to " + toText(Shape(scores, scores + 4)));
  }
  expectDType(name + ": attn_bias", bias, q.scalar_type());
}

// Throws Refusal unless grad_out, the first argument, and out, at `at`, have the result's shape.
void checkResults(const std::string& name, Args args, std::size_t at) {
  auto shape = args[1].toTensor().sizes().vec();
  shape.back() = args[3].toTensor().size(3);
  for (const std::size_t place : {std::size_t{0}, at}) {
    const std::string where = name + (place == 0 ? ": grad_out" : ": out");
    expectShape(where, args[place].toTensor(), shape);
    expectDType(where, args[place].toTensor(), args[1].toTensor().scalar_type());
  }
}

void checkSums(const std::string& name, const at::Tensor& sums, at::IntArrayRef shape) {
  expectShape(name + ": logsumexp", sums, shape);
  expectDType(name + ": logsumexp", sums, at::kFloat);
}

}  // namespace

// query, key, value, dropout_p, is_causal, return_debug_mask, *, scale
void checkFlashAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  refuseDropout(kFlash, args[3]);
  refuseDebugMask(kFlash, args[5]);
  checkQueryKeyValue(kFlash, args, 0);
}

// grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p,
// is_causal, philox_seed, philox_offset, *, scale
void checkFlashAttentionBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  refuseDropout(kFlashBackward, args[10]);
  checkQueryKeyValue(kFlashBackward, args, 1);
  checkResults(kFlashBackward, args, 4);
  checkSums(kFlashBackward, args[5].toTensor(), args[1].toTensor().sizes().slice(0, 3));
}

// query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, return_debug_mask, *,
// scale
void checkCudnnAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  refuseDropout(kCudnn, args[5]);
  refuseDebugMask(kCudnn, args[7]);
  checkQueryKeyValue(kCudnn, args, 0);
  checkBias(kCudnn, args, 0, 3, /*whole=*/false);
}

// grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q,
// cum_seq_k, max_q, max_k, dropout_p, is_causal, *, scale
void checkCudnnAttentionBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  refuseDropout(kCudnnBackward, args[13]);
  checkQueryKeyValue(kCudnnBackward, args, 1);
  checkResults(kCudnnBackward, args, 4);
  checkBias(kCudnnBackward, args, 1, 8, /*whole=*/false);
  auto shape = args[1].toTensor().sizes().vec();
  shape.back() = 1;
  checkSums(kCudnnBackward, args[5].toTensor(), shape);
}

// query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, *, scale
void checkEfficientAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  refuseDropout(kEfficient, args[5]);
  checkQueryKeyValue(kEfficient, args, 0);
  checkBias(kEfficient, args, 0, 3, /*whole=*/true);
}

// grad_out, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p,
// grad_input_mask, is_causal, *, scale
void checkEfficientAttentionBackward(at::ArrayRef<c10::IValue> args,
                                     const std::vector<at::Tensor>&) {
  refuseDropout(kEfficientBackward, args[9]);
  checkQueryKeyValue(kEfficientBackward, args, 1);
  checkResults(kEfficientBackward, args, 5);
  checkBias(kEfficientBackward, args, 1, 4, /*whole=*/true);
  const auto query = args[1].toTensor();
  const auto padded = (query.size(2) + 31) / 32 * 32;
  checkSums(kEfficientBackward, args[6].toTensor(), {query.size(0), query.size(1), padded});
}

}  // namespace shardlens
