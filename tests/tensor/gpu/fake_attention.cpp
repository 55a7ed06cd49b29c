// The attention kernels of a GPU, as libtorch's functions on the processor. They require and return
// what the kernels do: see each function.

#include "tests/tensor/gpu/fake_attention.h"

#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/gpu/host_view.h"

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <ATen/native/transformers/attention.h>
#include <torch/library.h>

#include <cmath>

namespace shardlens::fake_cuda {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

Tensor read(const Tensor& tensor) { return hostView(tensor, Access::Read).to(at::kDouble); }

Tensor onDevice(const Tensor& host, const Tensor& like, at::ScalarType type) {
  auto made = at::empty_strided(host.sizes(), host.strides(), like.options().dtype(type));
  hostView(made, Access::Write).copy_(host);
  return made;
}

struct Attention {
  Tensor query, key, value, scores;
  double scale;
};

void checkRows(const Tensor& tensor) {
  TORCH_CHECK(tensor.is_cuda() && tensor.dim() == 4 && tensor.stride(-1) == 1,
              "attention: got a tensor whose rows are not contiguous");
}

// Repeats the heads of keys for the queries that share them.
Tensor repeated(const Tensor& keys, const Tensor& query) {
  return keys.repeat_interleave(query.size(1) / keys.size(1), 1);
}

Attention attentionOf(const Tensor& query, const Tensor& key, const Tensor& value,
                      const MaybeTensor& bias, bool causal, std::optional<double> scale) {
  for (const auto& each : {query, key, value}) checkRows(each);
  Attention a{read(query), repeated(read(key), query), repeated(read(value), query), {}, 0};
  a.scale = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  a.scores = at::matmul(a.query, a.key.transpose(-2, -1)).mul(a.scale);
  if (bias && bias->defined()) a.scores = a.scores.add(read(*bias));
  if (causal) {
    a.scores = a.scores.masked_fill(at::ones_like(a.scores).triu(1).to(at::kBool), -INFINITY);
  }
  return a;
}

// The sum over the heads that share a key.
Tensor summed(const Tensor& gradient, const Tensor& key) {
  return gradient.unflatten(1, {key.size(1), -1}).sum(2);
}

struct Gradients {
  Tensor query, key, value, bias;
};

// Computed from the forward pass's result and logsumexp, as the kernels do.
Gradients gradientsOf(const Attention& a, const Tensor& grad, const Tensor& out, const Tensor& sums,
                      const Tensor& key) {
  checkRows(grad);
  const auto dy = read(grad), y = read(out);
  const auto softmax = at::exp(a.scores.sub(sums.unsqueeze(-1)));
  const auto ds =
      at::matmul(dy, a.value.transpose(-2, -1)).sub(dy.mul(y).sum(-1, true)).mul(softmax);
  return {at::matmul(ds, a.key).mul(a.scale),
          summed(at::matmul(ds.transpose(-2, -1), a.query).mul(a.scale), key),
          summed(at::matmul(softmax.transpose(-2, -1), dy), key), ds};
}

// Heads are adjacent in memory, for any strides of the inputs.
Tensor headsTogether(const Tensor& tensor) {
  return tensor.transpose(1, 2).contiguous().transpose(1, 2);
}

void refuseDropout(double dropout) { TORCH_CHECK(dropout == 0, "a GPU draws other numbers"); }

void checkSeeds(const Tensor& seed, const Tensor& offset, at::ScalarType type,
                const Tensor& query) {
  for (const auto& each : {seed, offset}) {
    TORCH_CHECK(each.defined() && each.device() == query.device() && each.scalar_type() == type,
                "attention: got other seeds than the forward pass gives");
  }
}

void checkHalf(const Tensor& query) {
  TORCH_CHECK(query.scalar_type() == at::kHalf || query.scalar_type() == at::kBFloat16,
              "attention: got ", query.scalar_type(), ", expected half precision");
}

using Flash =
    std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor>;

// Half precision, a width of a multiple of 8, no bias.
Flash flash(const Tensor& query, const Tensor& key, const Tensor& value, double dropout,
            bool causal, bool, std::optional<double> scale) {
  refuseDropout(dropout);
  checkHalf(query);
  TORCH_CHECK(query.size(-1) % 8 == 0, "flash: got width ", query.size(-1));
  const auto a = attentionOf(query, key, value, {}, causal, scale);
  const auto y = at::matmul(at::softmax(a.scores, -1), a.value);
  const auto seeds = query.options().dtype(at::kUInt64);
  return {onDevice(headsTogether(y), query, query.scalar_type()),
          onDevice(at::logsumexp(a.scores, -1), query, at::kFloat),
          {},
          {},
          query.size(2),
          key.size(2),
          at::empty({2}, seeds),
          at::empty({}, seeds),
          at::empty({0}, query.options())};
}

std::tuple<Tensor, Tensor, Tensor> flashBackward(const Tensor& grad, const Tensor& query,
                                                 const Tensor& key, const Tensor& value,
                                                 const Tensor& out, const Tensor& sums,
                                                 const Tensor&, const Tensor&, c10::SymInt queries,
                                                 c10::SymInt keys, double dropout, bool causal,
                                                 const Tensor& seed, const Tensor& offset,
                                                 std::optional<double> scale) {
  refuseDropout(dropout);
  checkHalf(query);
  checkSeeds(seed, offset, at::kUInt64, query);
  TORCH_CHECK(queries == query.size(2) && keys == key.size(2) && seed.numel() == 2);
  const auto a = attentionOf(query, key, value, {}, causal, scale);
  const auto [dq, dk, dv, bias] = gradientsOf(a, grad, out, read(sums), key);
  const auto type = query.scalar_type();
  return {onDevice(headsTogether(dq), query, type), onDevice(headsTogether(dk), query, type),
          onDevice(headsTogether(dv), query, type)};
}

// Half precision. The logsumexp has three dimensions, as in some versions of libtorch.
Flash cudnn(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
            bool sums, double dropout, bool causal, bool, std::optional<double> scale) {
  refuseDropout(dropout);
  checkHalf(query);
  const auto a = attentionOf(query, key, value, bias, causal, scale);
  const auto y = at::matmul(at::softmax(a.scores, -1), a.value);
  const auto seed = at::empty({}, query.options().dtype(at::kLong));
  return {onDevice(headsTogether(y), query, query.scalar_type()),
          sums ? onDevice(at::logsumexp(a.scores, -1), query, at::kFloat) : Tensor(),
          {},
          {},
          query.size(2),
          key.size(2),
          seed,
          seed.clone(),
          {}};
}

std::tuple<Tensor, Tensor, Tensor> cudnnBackward(const Tensor& grad, const Tensor& query,
                                                 const Tensor& key, const Tensor& value,
                                                 const Tensor& out, const Tensor& sums,
                                                 const Tensor& seed, const Tensor& offset,
                                                 const Tensor& bias, const Tensor&, const Tensor&,
                                                 c10::SymInt, c10::SymInt, double dropout,
                                                 bool causal, std::optional<double> scale) {
  refuseDropout(dropout);
  checkHalf(query);
  checkSeeds(seed, offset, at::kLong, query);
  TORCH_CHECK(sums.dim() == 3, "cudnn: got a logsumexp of ", sums.dim(), " dimensions, expected 3");
  const auto a = attentionOf(query, key, value, bias, causal, scale);
  const auto [dq, dk, dv, unused] = gradientsOf(a, grad, out, read(sums), key);
  const auto type = query.scalar_type();
  return {onDevice(headsTogether(dq), query, type), onDevice(headsTogether(dk), query, type),
          onDevice(headsTogether(dv), query, type)};
}

// As many key heads as query heads. A bias has the scores' shape and rows that begin at multiples
// of 8 elements. The logsumexp is padded to a multiple of 32 queries.
void checkEfficient(const Tensor& query, const Tensor& key, const MaybeTensor& bias) {
  TORCH_CHECK(query.size(1) == key.size(1), "efficient: got shared heads");
  TORCH_CHECK(query.scalar_type() != at::kDouble, "efficient: got double");
  if (!bias || !bias->defined()) return;
  TORCH_CHECK(bias->dim() == 4 && bias->size(0) == query.size(0) &&
                  bias->size(1) == query.size(1) && bias->size(3) == key.size(2),
              "efficient: got a bias that is not expanded");
  for (const int dim : {0, 1, 2}) {
    TORCH_CHECK(bias->stride(dim) % 8 == 0, "efficient: attn_bias is not correctly aligned");
  }
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient(const Tensor& query, const Tensor& key,
                                                     const Tensor& value, const MaybeTensor& bias,
                                                     bool sums, double dropout, bool causal,
                                                     std::optional<double> scale) {
  refuseDropout(dropout);
  checkEfficient(query, key, bias);
  const auto a = attentionOf(query, key, value, bias, causal, scale);
  const auto y = at::matmul(at::softmax(a.scores, -1), a.value);
  auto padded = at::logsumexp(a.scores, -1);
  padded = at::constant_pad_nd(padded, {0, (32 - query.size(2) % 32) % 32}, INFINITY);
  if (!sums) padded = padded.slice(-1, 0, 0);
  const auto seed = at::empty({}, query.options().dtype(at::kLong));
  return {onDevice(headsTogether(y), query, query.scalar_type()),
          onDevice(padded, query, at::kFloat), seed, seed.clone()};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficientBackward(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& bias, const Tensor& out, const Tensor& sums, const Tensor& seed,
    const Tensor& offset, double dropout, std::array<bool, 4> requested, bool causal,
    std::optional<double> scale) {
  refuseDropout(dropout);
  checkEfficient(query, key, bias);
  checkSeeds(seed, offset, at::kLong, query);
  const auto a = attentionOf(query, key, value, bias, causal, scale);
  const auto [dq, dk, dv, db] =
      gradientsOf(a, grad, out, read(sums).slice(-1, 0, query.size(2)), key);
  const auto type = query.scalar_type();
  return {onDevice(headsTogether(dq), query, type), onDevice(headsTogether(dk), query, type),
          onDevice(headsTogether(dv), query, type),
          requested[3] ? onDevice(db, query, type) : Tensor()};
}

// Chooses each kernel for some calls: cuDNN for bfloat16, flash for half precision without a mask,
// the efficient one for float and half precision with a mask, and none for double.
std::int64_t chosen(const Tensor& query, const Tensor& key, const Tensor& value,
                    const MaybeTensor& mask, double dropout, bool, std::optional<double>, bool) {
  TORCH_CHECK(dropout == 0, "attention: the choice is not faked for dropout");
  const auto type = query.scalar_type();
  const bool isWhole = query.dim() == 4 && query.stride(-1) == 1 && key.stride(-1) == 1;
  const bool mayShare = query.size(-3) == key.size(-3);
  auto kernel = at::SDPBackend::math;
  if (isWhole && type == at::kBFloat16 && query.size(-1) == value.size(-1)) {
    kernel = at::SDPBackend::cudnn_attention;
  } else if (isWhole && type == at::kHalf && !mask) {
    kernel = at::SDPBackend::flash_attention;
  } else if (isWhole && mayShare && type != at::kDouble && type != at::kBFloat16) {
    kernel = at::SDPBackend::efficient_attention;
  }
  return static_cast<std::int64_t>(kernel);
}

}  // namespace

void registerAttention(torch::Library& aten) {
  aten.impl("_scaled_dot_product_flash_attention", flash);
  aten.impl("_scaled_dot_product_flash_attention_backward", flashBackward);
  aten.impl("_scaled_dot_product_cudnn_attention", cudnn);
  aten.impl("_scaled_dot_product_cudnn_attention_backward", cudnnBackward);
  aten.impl("_scaled_dot_product_efficient_attention", efficient);
  aten.impl("_scaled_dot_product_efficient_attention_backward", efficientBackward);
  aten.impl("_fused_sdp_choice", chosen);
  at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(&chosen);
}

}  // namespace shardlens::fake_cuda
