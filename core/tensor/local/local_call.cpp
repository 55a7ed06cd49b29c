#include "core/tensor/local/local_call.h"

#include "core/comm/refuse_together.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/written_locals.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Returns the rank's size or strides for an argument that gives those of the result; nullopt for
// other arguments.
std::optional<Shape> ownSize(const CachedCall& plan, std::string_view arg, int rank) {
  const bool isSize = arg == plan.use.rule->sizeArg;
  if (!isSize && arg != plan.use.rule->strideArg) return std::nullopt;
  const Spec& out = plan.outputs.front()->spec;
  auto shape = localShape(out.meta.shape, *out.mesh, out.placements, rank);
  return isSize ? shape : stridesInOrder(shape, out.meta.strides);
}

bool mayHaveOwnSize(const CachedCall& plan) {
  return !plan.use.rule->sizeArg.empty() || !plan.use.rule->strideArg.empty();
}

// Returns the rank's GPU in place of another GPU, because a sharded tensor has the device of its
// first local, and libtorch passes that on.
at::Device ownDevice(const Communicator& comm, at::Device device, std::size_t i) {
  const bool isRanks = device.is_cuda() && comm.deviceType() == at::kCUDA;
  return isRanks ? comm.device(comm.hosted()[i]) : device;
}

// Returns true if the rank's part of an input is empty, and smaller than the input.
bool hasNothing(const LocalCall& call, std::size_t i) {
  for (std::size_t input = 0; input < call.inputs.size(); ++input) {
    const auto& part = call.local(input, i);
    if (part.numel() == 0 && part.sizes() != call.inputs[input].sizes()) return true;
  }
  return false;
}

torch::jit::Stack zeros(const LocalCall& call, std::size_t i) {
  torch::jit::Stack results;
  auto output = call.plan.outputs.begin();
  for (const auto count : call.plan.counts) {
    if (count == 0) {
      results.emplace_back(at::Tensor());
      continue;
    }
    const auto& layout = **output++;
    const auto type = scalarType(layout.spec.meta.dtype);
    results.emplace_back(at::zeros(layout.localShapes[i], call.local(0, i).options().dtype(type)));
  }
  return results;
}

// Makes the results contiguous, as outputMetas() assumes for plane operators.
void layInOrder(torch::jit::Stack& results) {
  for (auto& result : results) result = result.toTensor().contiguous();
}

void append(LocalResult& result, std::size_t& output, const at::Tensor& tensor) {
  if (result.outputs.size() == output) result.outputs.emplace_back();
  result.outputs[output++].push_back(tensor);
}

}  // namespace

const at::Tensor& LocalCall::local(std::size_t input, std::size_t i) const {
  return isDTensor(inputs[input]) ? dtensorImpl(inputs[input]).locals()[i] : inputs[input];
}

torch::jit::Stack LocalCall::arguments(std::size_t i) const {
  torch::jit::Stack stack;
  stack.reserve(args.size());
  std::size_t next = 0;
  const auto& formal = op.schema().arguments();
  const bool sized = mayHaveOwnSize(plan);
  for (std::size_t at = 0; at < args.size(); ++at) {
    const auto own = sized ? ownSize(plan, formal[at].name(), runtime.comm().hosted()[i])
                           : std::optional<Shape>();
    if (own) {
      stack.emplace_back(*own);
    } else if (args[at].isDevice()) {
      stack.emplace_back(ownDevice(runtime.comm(), args[at].toDevice(), i));
    } else {
      stack.push_back(mapTensors(args[at], [&](const at::Tensor&) { return local(next++, i); }));
      checkMaterialized(formal[at], stack.back());
    }
  }
  return stack;
}

torch::jit::Stack LocalCall::runPlain(std::size_t i) const { return runPlain(i, arguments(i)); }

torch::jit::Stack LocalCall::runPlain(std::size_t i, torch::jit::Stack arguments) const {
  const Rule& rule = *plan.use.rule;
  if (rule.emptyShards == Rule::EmptyShards::Skipped && hasNothing(*this, i)) {
    return zeros(*this, i);
  }
  op.callBoxed(&arguments);
  if (rule.planeDims > 0) layInOrder(arguments);
  return arguments;
}

LocalResult collected(const LocalCall& call,
                      const std::function<torch::jit::Stack(std::size_t)>& run) {
  LocalResult result;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    std::size_t output = 0;
    for (const auto& value : run(i)) {
      const bool holdsTensors = value.isTensor() || value.isTensorList();
      if (!holdsTensors && i == 0) result.plain.push_back(value);
      forEachTensor(value, [&](const at::Tensor& tensor) { append(result, output, tensor); });
    }
  }
  return result;
}

LocalResult runPlain(const LocalCall& call) {
  return collected(call, [&](std::size_t i) { return call.runPlain(i); });
}

LocalResult allOrNone(const LocalCall& call, const std::function<LocalResult()>& run) {
  LocalResult result;
  std::string wrong;
  try {
    result = run();
  } catch (const c10::Error& error) {
    wrong = error.what_without_backtrace();
  }
  refuseTogether(call.runtime.comm(), wrong);
  return result;
}

}  // namespace shardlens
