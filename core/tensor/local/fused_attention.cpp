// Attention by one kernel of a GPU: the operators that scaled_dot_product_attention calls there.

#include "core/memory/dtypes.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/fused_attention_check.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

#include <atomic>

namespace shardlens {
namespace {

// Returns the bias with rows that begin at multiples of 8 elements, as the efficient kernel reads
// them. A rank's part of a bias that was aligned need not be.
at::Tensor alignedRows(const at::Tensor& bias) {
  constexpr std::int64_t kAlignment = 8;
  bool isAligned = bias.stride(-1) == 1;
  for (std::int64_t dim = 0; dim + 1 < bias.dim(); ++dim) {
    isAligned = isAligned && bias.stride(dim) % kAlignment == 0;
  }
  if (isAligned) return bias;
  auto shape = bias.sizes().vec();
  shape.back() = (shape.back() + kAlignment - 1) / kAlignment * kAlignment;
  const auto rows = at::empty(shape, bias.options()).narrow(-1, 0, bias.size(-1));
  return rows.copy_(bias);
}

// The number of dimensions of cuDNN's logsumexp, which the versions of libtorch return and expect
// differently: [batch, heads, queries] or, as in the meta function, [batch, heads, queries, 1].
std::atomic<std::int64_t> cudnnSumDims = 4;

// Returns a rank's arguments as its kernel requires them: contiguous rows, and seeds. Undefined
// seeds stand for those of the forward pass, which are not read without dropout.
torch::jit::Stack fittingArguments(const LocalCall& call, std::size_t i) {
  auto stack = call.arguments(i);
  const auto& schema = call.op.schema();
  const bool isFlash = schema.name() == "aten::_scaled_dot_product_flash_attention_backward";
  const bool isCudnn = schema.name() == "aten::_scaled_dot_product_cudnn_attention_backward";
  const auto options = call.local(0, i).options();
  for (std::size_t at = 0; at < stack.size(); ++at) {
    const auto& name = schema.arguments()[at].name();
    if (holdsTensor(stack[at])) {
      const auto tensor = stack[at].toTensor();
      if (name == "attn_bias") {
        stack[at] = alignedRows(tensor);
      } else if (name == "logsumexp") {
        if (isCudnn && cudnnSumDims == 3) stack[at] = tensor.squeeze(-1);
      } else if (tensor.dim() == 4 && tensor.stride(-1) != 1) {
        stack[at] = tensor.contiguous();
      }
    } else if (name == "philox_seed") {
      stack[at] = isFlash ? at::empty({2}, options.dtype(at::kUInt64))
                          : at::empty({}, options.dtype(at::kLong));
    } else if (name == "philox_offset") {
      stack[at] = at::empty({}, options.dtype(isFlash ? at::kUInt64 : at::kLong));
    }
  }
  return stack;
}

// Adds the numbers that the operator returns: the lengths of the sequences, if any.
void addLengths(const LocalCall& call, LocalResult& result) {
  std::size_t input = 0;  // the query, then the key
  for (const auto& formal : call.op.schema().returns()) {
    if (formal.type()->kind() == c10::TypeKind::TensorType) continue;
    result.plain.emplace_back(call.inputs[input++].size(2));
  }
}

LocalResult fusedForward(const LocalCall& call) {
  LocalResult result;
  result.outputs.resize(call.plan.outputs.size());
  addLengths(call, result);
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto options = call.local(0, i).options();
    const bool hasData = !call.local(0, i).is_meta();
    auto stack = hasData ? fittingArguments(call, i) : torch::jit::Stack();
    if (hasData) call.op.callBoxed(&stack);
    for (std::size_t at = 0; at < result.outputs.size(); ++at) {
      const auto& layout = *call.plan.outputs[at];
      const auto& shape = layout.localShapes[i];
      const auto type = scalarType(layout.spec.meta.dtype);
      if (!hasData) {
        result.outputs[at].push_back(at::empty(shape, options.dtype(type)));
        continue;
      }
      const auto made = stack[at].toTensor();
      if (shape.size() == 4 && at == 1) cudnnSumDims = made.dim();
      result.outputs[at].push_back(made.view(shape));
    }
  }
  return result;
}

LocalResult fusedBackward(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = fittingArguments(call, i);
    call.op.callBoxed(&stack);
    stack.resize(call.plan.outputs.size());
    return stack;
  });
}

}  // namespace

std::vector<NamedKernel> fusedAttentionKernels() {
  return {{"aten._scaled_dot_product_flash_attention",
           {.check = checkFlashAttention, .run = fusedForward, .runsDry = true}},
          {"aten._scaled_dot_product_flash_attention_backward",
           {.check = checkFlashAttentionBackward, .run = fusedBackward}},
          {"aten._scaled_dot_product_cudnn_attention",
           {.check = checkCudnnAttention, .run = fusedForward, .runsDry = true}},
          {"aten._scaled_dot_product_cudnn_attention_backward",
           {.check = checkCudnnAttentionBackward, .run = fusedBackward}},
          {"aten._scaled_dot_product_efficient_attention",
           {.check = checkEfficientAttention, .run = fusedForward, .runsDry = true}},
          {"aten._scaled_dot_product_efficient_attention_backward",
           {.check = checkEfficientAttentionBackward, .run = fusedBackward}}};
}

}  // namespace shardlens
