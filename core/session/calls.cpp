#include "core/session/calls.h"

#include "core/session/aten_call.h"
#include "core/session/dense.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute.h"
#include "core/tensor/refusal.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

using nlohmann::json;

// What a call may use: the ranks, the results so far, and the step as it is written.
struct Context {
  const std::shared_ptr<Runtime>& runtime;
  const Values& values;
  const ScenarioStep& step;

  const json& body() const { return step.json; }

  at::Tensor named(std::string_view name) const {
    const auto it = values.find(name);
    if (it != values.end()) return it->second;
    throw Refusal("$" + std::string(name) + ": no step before this one has that name");
  }

  json args() const {
    const auto it = body().find("args");
    if (it == body().end()) return json::array();
    if (!it->is_array()) throw Refusal("args: got " + it->dump() + ", expected a list");
    return *it;
  }

  at::Tensor tensorArg(std::size_t i) const {
    const auto list = args();
    if (i >= list.size()) throw Refusal("args: got " + list.dump() + ", expected a tensor");
    if (!list[i].is_string() || !list[i].get_ref<const std::string&>().starts_with('$')) {
      throw Refusal("args: got " + list[i].dump() + ", expected a reference like \"$x\"");
    }
    return named(std::string_view(list[i].get_ref<const std::string&>()).substr(1));
  }

  Placements placements() const {
    for (const char* later : {"shard_order", "mesh"}) {
      if (body().contains(later)) throw Refusal(std::string(later) + ": not supported yet");
    }
    const auto it = body().find("placements");
    if (it == body().end() || !it->is_array()) {
      throw Refusal("placements: got " + (it == body().end() ? "none" : it->dump()) +
                    ", expected one placement for each mesh dimension");
    }
    Placements placements;
    for (const auto& item : *it) {
      if (!item.is_string()) throw Refusal("placements: got " + item.dump() + ", expected text");
      placements.push_back(orRefuse(parsePlacement(item.get<std::string>())));
    }
    return placements;
  }

  at::Tensor leaf(at::Tensor tensor) const {
    const auto it = body().find("requires_grad");
    if (it == body().end()) return tensor;
    if (!it->is_boolean()) {
      throw Refusal("requires_grad: got " + it->dump() + ", expected true or false");
    }
    return tensor.requires_grad_(it->get<bool>());
  }
};

StepResult one(at::Tensor tensor) { return {{std::move(tensor)}, StepResult::Form::One}; }

StepResult tensor(const Context& context) {
  const auto placements = context.placements();
  return one(context.leaf(distribute(context.runtime, makeDense(context.body()), placements)));
}

StepResult fromLocals(const Context& context) {
  const auto placements = context.placements();
  const auto it = context.body().find("locals");
  if (it == context.body().end() || !it->is_array() || it->empty()) {
    throw Refusal("locals: got none, expected one for each rank");
  }
  Buffers locals;
  for (const auto& local : *it) locals.push_back(makeDense(local));
  std::optional<Shape> shape;
  if (context.body().contains("shape")) shape = readShape(context.body().at("shape"));
  return one(context.leaf(fromLocals(context.runtime, locals, placements, shape)));
}

StepResult redistribute(const Context& context) {
  return one(redistribute(context.tensorArg(0), context.placements()));
}

StepResult backward(const Context& context) {
  const bool seeded = context.args().size() > 1;
  // What runs on the way is not the step's result: it has none.
  context.runtime->recorder().setResultName({});
  context.tensorArg(0).backward(seeded ? context.tensorArg(1) : at::Tensor());
  return {};
}

StepResult grad(const Context& context) {
  const auto gradient = context.tensorArg(0).grad();
  if (!gradient.defined()) throw Refusal("grad: the tensor has no gradient");
  return one(gradient);
}

StepResult detach(const Context& context) { return one(context.tensorArg(0).detach()); }

StepResult aten(const Context& context, const std::string& call) {
  const auto op = findOperator(call);
  // The result of an operator that libtorch composes of others gets its name at the end.
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    context.runtime->recorder().setResultName({});
  }
  const auto found = context.body().find("kwargs");
  const json kwargs = found == context.body().end() ? json::object() : *found;
  const auto stack =
      callOperator(op, context.args(), kwargs, [&](auto name) { return context.named(name); });
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

struct NamedCall {
  std::string_view name;
  StepResult (*run)(const Context&);
};

constexpr NamedCall kCalls[] = {{"tensor", tensor},
                                {"from_locals", fromLocals},
                                {"redistribute", redistribute},
                                {"backward", backward},
                                {"grad", grad},
                                {"detach", detach}};

}  // namespace

StepResult runCall(const std::shared_ptr<Runtime>& runtime, const Values& values,
                   const ScenarioStep& step) {
  const Context context{runtime, values, step};
  const auto call = step.json.at("call").is_string() ? step.json.at("call").get<std::string>()
                                                     : step.json.at("call").dump();
  if (call.starts_with("aten.")) return aten(context, call);
  std::string known;
  for (const auto& each : kCalls) {
    if (call == each.name) return each.run(context);
    known += std::string(each.name) + ", ";
  }
  throw Refusal("unknown call '" + call + "', expected " + known + "or aten.NAME");
}

}  // namespace shardlens
