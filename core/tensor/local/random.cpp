// Note [Numbers are drawn for the whole]
// Every process draws the numbers of the whole tensor, once, from its generator, and each rank
// takes those of its elements. So they are what a plain tensor would get, whatever the placements;
// no two shards see the same numbers and replicas agree; and generators that began alike stay so.

#include "core/model/shard_geometry.h"
#include "core/tensor/call_schema.h"
#include "core/tensor/local/families.h"
#include "core/tensor/pieces.h"
#include "core/tensor/refusal.h"
#include "core/tensor/sharded_tensor.h"
#include "core/tensor/terms.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

at::Tensor unwritten(const TensorMeta& meta, const at::TensorOptions& options) {
  return at::empty_strided(meta.shape, meta.strides, options);
}

// The plain operator run on a plain tensor in place of the sharded one, of which it reads no
// element.
at::Tensor drawnWhole(const LocalCall& call) {
  torch::jit::Stack stack;
  for (const auto& arg : call.args) {
    stack.push_back(mapTensors(arg, [](const at::Tensor& tensor) {
      return unwritten(specOf(tensor).meta,
                       at::TensorOptions(tensor.dtype()).device(tensor.device()));
    }));
  }
  call.op.callBoxed(&stack);
  return stack.front().toTensor();
}

// The part of a whole that the i-th hosted rank has under the placements of the first output.
at::Tensor partOf(const LocalCall& call, const at::Tensor& whole, std::size_t i) {
  const Spec& spec = call.plan.outputs.front()->spec;
  const int rank = call.runtime.comm().hosted()[i];
  const Piece owned(ownedRuns(spec.meta.shape, *spec.mesh, spec.placements, rank));
  return heldOf(takePiece(whole, owned), *spec.mesh, spec.placements, rank);
}

LocalResult drawnInto(const LocalCall& call) {
  const auto whole = drawnWhole(call);
  for (std::size_t i = 0; i < call.hosted(); ++i) call.local(0, i).copy_(partOf(call, whole, i));
  return {};
}

LocalResult drawn(const LocalCall& call) {
  const auto whole = drawnWhole(call);
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    result.outputs.front().push_back(partOf(call, whole, i).clone());
  }
  return result;
}

void refuseNoProbabilities(const LocalCall& call, std::size_t input) {
  std::string wrong;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& p = call.local(input, i);
    if (!p.ge(0).bitwise_and(p.le(1)).all().item<bool>()) {
      wrong = "aten.bernoulli: got a probability outside of [0, 1]";
    }
  }
  refuseTogether(call.runtime.comm(), wrong);
}

// out[i] = u[i] < p[i], of uniform numbers u as the plain operator draws them.
LocalResult bernoulliOf(const LocalCall& call, std::size_t probabilities) {
  refuseNoProbabilities(call, probabilities);
  const bool isDouble = call.inputs[probabilities].scalar_type() == at::kDouble;
  const auto uniform = unwritten(call.plan.outputs.front()->spec.meta,
                                 at::TensorOptions(isDouble ? at::kDouble : at::kFloat));
  uniform.uniform_(0, 1, call.args[call.args.size() - 1].toOptional<at::Generator>());
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    result.outputs.front().push_back(partOf(call, uniform, i).lt(call.local(probabilities, i)));
  }
  return result;
}

LocalResult bernoulli(const LocalCall& call) {
  auto result = bernoulliOf(call, 0);
  for (auto& part : result.outputs.front()) part = part.to(call.inputs[0].scalar_type());
  return result;
}

LocalResult bernoulliInto(const LocalCall& call) {
  const auto result = bernoulliOf(call, 1);
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    call.local(0, i).copy_(result.outputs.front()[i]);
  }
  return {};
}

LocalResult nativeDropout(const LocalCall& call) {
  const auto& x = call.inputs[0];
  const bool trains = call.args[2].isNone() || call.args[2].toBool();
  if (!trains || x.numel() == 0) return runPlain(call);
  const double kept = 1 - call.args[1].toDouble();
  const auto mask = at::empty(x.sizes(), at::TensorOptions(at::kBool).device(x.device()));
  mask.bernoulli_(kept);
  LocalResult result{{Buffers(), Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto part = partOf(call, mask, i).clone();
    result.outputs[0].push_back(call.local(0, i).mul(part).mul_(kept == 0 ? 0 : 1 / kept));
    result.outputs[1].push_back(std::move(part));
  }
  return result;
}

}  // namespace

std::vector<NamedKernel> randomKernels() {
  std::vector<NamedKernel> kernels;
  for (const auto name : {"aten.bernoulli_.float", "aten.cauchy_", "aten.exponential_",
                          "aten.geometric_", "aten.log_normal_", "aten.normal_", "aten.random_",
                          "aten.random_.from", "aten.random_.to", "aten.uniform_"}) {
    kernels.push_back({name, {.run = drawnInto}});
  }
  for (const auto name :
       {"aten.bernoulli.p", "aten.rand_like", "aten.rand_like.generator", "aten.randint_like",
        "aten.randint_like.generator", "aten.randint_like.low_dtype",
        "aten.randint_like.low_generator_dtype", "aten.randn_like", "aten.randn_like.generator"}) {
    kernels.push_back({name, {.run = drawn}});
  }
  kernels.push_back({"aten.bernoulli", {.run = bernoulli}});
  kernels.push_back({"aten.bernoulli_.Tensor", {.run = bernoulliInto}});
  kernels.push_back({"aten.native_dropout", {.run = nativeDropout}});
  return kernels;
}

}  // namespace shardlens
