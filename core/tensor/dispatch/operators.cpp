#include "core/tensor/dispatch/operators.h"

#include "core/tensor/dispatch/op_entry.h"

#include <ATen/core/jit_type.h>

#include <algorithm>

namespace shardlens {
namespace {

bool takesTensors(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments()) {
    auto type = argument.type();
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (type->kind() == c10::TypeKind::TensorType) return true;
  }
  return false;
}

bool isLeftToBeComposed(const c10::OperatorHandle& op) {
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) return false;
  const Rule* rule = findRule(operatorName(op)).rule;
  return rule == nullptr || !rule->uncomposed;
}

}  // namespace

std::vector<c10::OperatorHandle> dispatchedOperators() {
  std::vector<c10::OperatorHandle> operators;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (!op || name.name.rfind("aten::", 0) != 0 || !takesTensors(op->schema())) continue;
    if (isLeftToBeComposed(*op)) continue;
    operators.push_back(*op);
  }
  std::sort(operators.begin(), operators.end(), [](const auto& a, const auto& b) {
    const auto &left = a.operator_name(), &right = b.operator_name();
    return std::tie(left.name, left.overload_name) < std::tie(right.name, right.overload_name);
  });
  return operators;
}

}  // namespace shardlens
