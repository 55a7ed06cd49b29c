#include "core/session/calls.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/session/aten_call.h"
#include "core/session/legacy_calls.h"
#include "core/session/scenario/tensor_literal.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// What a call may use: the ranks, and the step as it is written with the results so far.
struct Context {
  Runtimes& runtimes;
  StepReader step;

  Data data() const { return runtimes.areDry() ? Data::LeftOut : Data::Made; }
  ResultNames& resultNames() const { return runtimes.scenarios()->resultNames(); }
  std::shared_ptr<Runtime> runtime() const {
    const auto mesh = step.mesh(*runtimes.scenarios()->mesh());
    return mesh ? runtimes.on(*mesh) : runtimes.scenarios();
  }
};

StepResult one(at::Tensor tensor) { return {{std::move(tensor)}, StepResult::Form::One}; }

StepResult tensor(const Context& context) {
  const auto& step = context.step;
  const auto runtime = context.runtime();
  const auto whole = makeDense(step.body(), context.data());
  auto placements = step.placements(*runtime->mesh(), static_cast<int>(whole.dim()));
  const auto source = step.source();
  auto laid = source ? distributeFrom(runtime, *source, whole, std::move(placements))
                     : distribute(runtime, whole, std::move(placements));
  return one(step.withGradient(std::move(laid)));
}

StepResult fromLocals(const Context& context) {
  const auto& step = context.step;
  const auto runtime = context.runtime();
  const auto it = step.body().find("locals");
  if (it == step.body().end() || !it->is_array() || it->empty()) {
    throw Refusal("locals: got none, expected one for each rank");
  }
  Buffers locals;
  for (const auto& local : *it) locals.push_back(makeDense(local, context.data()));
  std::optional<Shape> shape;
  if (step.body().contains("shape")) shape = readShape(step.body().at("shape"));
  auto placements = step.placements(*runtime->mesh(), static_cast<int>(locals.front().dim()));
  return one(step.withGradient(fromLocals(runtime, locals, std::move(placements), shape)));
}

StepResult redistribute(const Context& context) {
  const auto& step = context.step;
  const auto tensor = step.tensorArg(0);
  const DeviceMesh& mesh = *specOf(tensor).mesh;
  if (const auto other = step.mesh(mesh); other && *other != mesh) {
    throw Refusal("Cross device mesh comm not supported yet!");
  }
  const auto placements = step.placements(mesh, static_cast<int>(tensor.dim()));
  return one(redistribute(tensor, placements, step.types()));
}

StepResult backward(const Context& context) {
  const auto& step = context.step;
  const bool seeded = step.args().size() > 1;
  // What runs on the way is not the step's result: it has none.
  context.resultNames().setId({});
  step.tensorArg(0).backward(seeded ? step.tensorArg(1) : at::Tensor());
  return {};
}

StepResult grad(const Context& context) {
  const auto gradient = context.step.tensorArg(0).grad();
  if (!gradient.defined()) throw Refusal("grad: the tensor has no gradient");
  return one(gradient);
}

StepResult detach(const Context& context) { return one(context.step.tensorArg(0).detach()); }

StepResult shardedEmbedding(const Context& context) {
  return one(callShardedEmbedding(context.step));
}

StepResult shardedEmbeddingBag(const Context& context) {
  return one(callShardedEmbeddingBag(context.step));
}

StepResult aten(const Context& context, const std::string& call) {
  const auto op = findOperator(call);
  // The result of an operator that libtorch composes of others gets its name at the end.
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    context.resultNames().setId({});
  }
  const auto& step = context.step;
  const auto stack =
      callOperator(op, step.args(), step.kwargs(), [&](auto name) { return step.named(name); });
  StepResult result;
  const bool several = stack.size() > 1 || (!stack.empty() && stack.front().isTensorList());
  result.form = stack.empty() ? StepResult::Form::Nothing
                : several     ? StepResult::Form::Several
                              : StepResult::Form::One;
  for (const auto& value : stack) {
    if (value.isTensor()) result.tensors.push_back(value.toTensor());
    if (value.isTensorList()) {
      for (const at::Tensor& each : value.toTensorList()) result.tensors.push_back(each);
    }
  }
  return result;
}

// A step names its reduction, as torch.nn.functional does.
nlohmann::json numberedReduction(nlohmann::json kwargs) {
  if (!kwargs.is_object() || !kwargs.contains("reduction")) return kwargs;
  auto& reduction = kwargs["reduction"];
  constexpr std::string_view kNames[] = {"none", "mean", "sum"};  // in the order of at::Reduction
  const auto name = std::find(std::begin(kNames), std::end(kNames), reduction);
  if (name == std::end(kNames)) {
    throw Refusal(shown(reduction) + " is not a valid value for reduction");
  }
  reduction = name - std::begin(kNames);
  return kwargs;
}

StepResult crossEntropy(const Context& context) {
  const auto& step = context.step;
  const auto stack =
      callOperator(findOperator("aten.cross_entropy_loss"), step.args(),
                   numberedReduction(step.kwargs()), [&](auto name) { return step.named(name); });
  return one(stack.front().toTensor());
}

StepResult crossEntropyBackward(const Context& context) {
  context.resultNames().setId({});
  crossEntropy(context).tensors.front().backward();
  return grad(context);
}

struct NamedCall {
  std::string_view name;
  StepResult (*run)(const Context&);
};

constexpr NamedCall kCalls[] = {{"tensor", tensor},
                                {"from_locals", fromLocals},
                                {"redistribute", redistribute},
                                {"cross_entropy", crossEntropy},
                                {"cross_entropy_backward", crossEntropyBackward},
                                {"backward", backward},
                                {"grad", grad},
                                {"detach", detach},
                                {"sharded_embedding", shardedEmbedding},
                                {"sharded_embedding_bag", shardedEmbeddingBag}};

}  // namespace

StepResult runCall(Runtimes& runtimes, const Values& values, const ScenarioStep& step) {
  const Context context{runtimes, {step, values}};
  const auto call = context.step.call();
  if (call.starts_with("aten.")) return aten(context, call);
  std::string known;
  for (const auto& each : kCalls) {
    if (call == each.name) return each.run(context);
    known += std::string(each.name) + ", ";
  }
  throw Refusal("unknown call '" + call + "', expected " + known + "or aten.NAME");
}

}  // namespace shardlens
