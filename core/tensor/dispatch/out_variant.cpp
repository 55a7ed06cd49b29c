#include "core/tensor/dispatch/out_variant.h"

#include "core/base/refusal.h"
#include "core/model/placement.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>

namespace shardlens {
namespace {

using Arguments = std::vector<c10::Argument>;

// Returns the arguments that are not `out=`.
Arguments read(const c10::FunctionSchema& schema) {
  Arguments arguments;
  std::copy_if(schema.arguments().begin(), schema.arguments().end(), std::back_inserter(arguments),
               [](const c10::Argument& argument) { return !argument.is_out(); });
  return arguments;
}

bool isAlike(const c10::Argument& a, const c10::Argument& b) {
  return a.name() == b.name() && *a.type() == *b.type() && a.alias_info() == nullptr &&
         b.alias_info() == nullptr;
}

bool givesTensors(const c10::FunctionSchema& schema) {
  const auto& returns = schema.returns();
  return !returns.empty() && std::all_of(returns.begin(), returns.end(), [](const auto& each) {
    return each.type()->kind() == c10::TypeKind::TensorType;
  });
}

void refuseUnlike(const std::string& name, const at::Tensor& given, const at::Tensor& made) {
  if (given.sizes() != made.sizes()) {
    throw Refusal(name + ": output with shape " + toText(given.sizes().vec()) +
                  " doesn't match the result's shape " + toText(made.sizes().vec()));
  }
  if (at::canCast(made.scalar_type(), given.scalar_type())) return;
  throw Refusal(name + ": result type " + c10::toString(made.scalar_type()) +
                " can't be cast to the desired output type " + c10::toString(given.scalar_type()));
}

}  // namespace

std::optional<c10::OperatorHandle> givingVariant(const c10::OperatorHandle& op) {
  const auto& schema = op.schema();
  const auto wanted = read(schema);
  if (wanted.size() == schema.arguments().size() || !givesTensors(schema)) return std::nullopt;
  const auto overloads = torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(schema.name()));
  for (const auto& overload : overloads) {
    const auto& other = overload->schema();
    const auto& arguments = other.arguments();
    const bool fits =
        other.returns().size() == schema.returns().size() && givesTensors(other) &&
        std::equal(arguments.begin(), arguments.end(), wanted.begin(), wanted.end(), isAlike);
    if (!fits) continue;
    return c10::Dispatcher::singleton().findSchema({other.name(), other.overload_name()});
  }
  return std::nullopt;
}

std::vector<c10::IValue> runIntoGiven(const OpEntry& entry, const c10::OperatorHandle& giving,
                                      at::ArrayRef<c10::IValue> args) {
  const auto& formal = entry.op.schema().arguments();
  torch::jit::Stack stack;
  std::vector<at::Tensor> given;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (formal[i].is_out()) {
      given.push_back(args[i].toTensor());
    } else {
      stack.push_back(args[i]);
    }
  }
  giving.callBoxed(&stack);
  for (std::size_t i = 0; i < given.size(); ++i) {
    refuseUnlike(entry.name, given[i], stack[i].toTensor());
  }
  std::vector<c10::IValue> results;
  for (std::size_t i = 0; i < given.size(); ++i) {
    results.emplace_back(given[i].copy_(stack[i].toTensor()));
  }
  return results;
}

}  // namespace shardlens
