#include "core/session/calls.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/session/aten_call.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

// The arguments of a call: the tensor factory, and the step with the results so far.
struct Context {
  Tensors& tensors;
  StepReader step;
};

StepResult one(at::Tensor tensor) { return {{std::move(tensor)}, StepResult::Form::One}; }

StepResult tensor(const Context& context) {
  const auto& step = context.step;
  return one(step.withGradient(context.tensors.tensor(step)));
}

StepResult fromLocals(const Context& context) {
  const auto& step = context.step;
  return one(step.withGradient(context.tensors.fromLocals(step)));
}

StepResult redistribute(const Context& context) {
  return one(context.tensors.redistribute(context.step));
}

StepResult backward(const Context& context) {
  const auto& step = context.step;
  const bool seeded = step.args().size() > 1;
  context.tensors.beginUnnamedResults();
  step.tensorArg(0).backward(seeded ? step.tensorArg(1) : at::Tensor());
  return {};
}

StepResult grad(const Context& context) {
  const auto tensor = context.step.tensorArg(0);
  const auto gradient = tensor.grad();
  if (!gradient.defined()) throw Refusal("grad: the tensor has no gradient");
  return one(context.tensors.onAllRanks(gradient, tensor));
}

StepResult detach(const Context& context) { return one(context.step.tensorArg(0).detach()); }

StepResult aten(const Context& context, const std::string& call) {
  const auto op = findOperator(call);
  // libtorch implements a composite operator by calling other operators.
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    context.tensors.beginUnnamedResults();
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

// Replaces the name of a reduction ("mean") by at::Reduction's number, as torch.nn.functional does.
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
  context.tensors.beginUnnamedResults();
  crossEntropy(context).tensors.front().backward();
  return grad(context);
}

// A call of SCENARIO.md and its function.
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
                                {"detach", detach}};

}  // namespace

StepResult runCall(Tensors& tensors, const Values& values, const ScenarioStep& step) {
  const Context context{tensors, {step, values}};
  const auto call = context.step.call();
  if (call.starts_with("aten.")) return aten(context, call);
  std::string known;
  for (const auto& each : kCalls) {
    if (call == each.name) return each.run(context);
    known += std::string(each.name) + ", ";
  }
  for (const auto& each : additions().calls) {
    if (call == each.name) return one(tensors.added(each, context.step));
    known += std::string(each.name) + ", ";
  }
  throw Refusal("unknown call '" + call + "', expected " + known + "or aten.NAME");
}

std::vector<NamedResult> namedResults(const ScenarioStep& step, StepResult result) {
  const bool single = result.form == StepResult::Form::One;
  std::vector<NamedResult> named;
  for (std::size_t i = 0; i < result.tensors.size(); ++i) {
    auto& tensor = result.tensors[i];
    if (!tensor.defined()) continue;
    named.push_back({single ? step.id : fmt::format("{}.{}", step.id, i), std::move(tensor)});
  }
  return named;
}

}  // namespace shardlens
