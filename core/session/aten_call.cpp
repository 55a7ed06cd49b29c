#include "core/session/aten_call.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/session/scenario/json_number.h"
#include "core/session/scenario/tensor_literal.h"
#include "core/tensor/dispatch/op_entry.h"

#include <ATen/ATen.h>
#include <ATen/ScalarOps.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <optional>

namespace shardlens {
namespace {

using c10::IValue;
using c10::TypeKind;
using nlohmann::json;

// Returns true if an overload of the operator takes a number for this argument. PyTorch then
// accepts a number in place of the tensor.
bool takesNumber(const c10::OperatorHandle& op, const std::string& argument) {
  const auto overloads =
      torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(op.schema().name()));
  return std::any_of(overloads.begin(), overloads.end(), [&](const auto& overload) {
    const auto index = overload->schema().argumentIndexWithName(argument);
    if (!index) return false;
    auto type = overload->schema().arguments()[static_cast<std::size_t>(*index)].type();
    if (const auto optional = type->template cast<c10::OptionalType>()) {
      type = optional->getElementType();
    }
    return type->kind() == TypeKind::NumberType;
  });
}

// Returns a 0-dim tensor marked as a wrapped number, which does not promote dtypes of its own kind.
at::Tensor wrappedNumber(const at::Scalar& number) {
  auto tensor = at::scalar_to_tensor(number);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

// Converts the JSON value of one argument to the type in the schema. Throws Refusal.
class ArgumentReader {
 public:
  ArgumentReader(const c10::OperatorHandle& op, const c10::Argument& argument,
                 const Resolve& resolve)
      : op_(op),
        argument_(argument),
        where_(operatorName(op) + ": argument " + argument.name()),
        resolve_(resolve) {}

  IValue read(const json& item, const c10::TypePtr& type) const {
    if (const auto optional = type->cast<c10::OptionalType>()) {
      return item.is_null() ? IValue() : read(item, optional->getElementType());
    }
    if (const auto list = type->cast<c10::ListType>())
      return readList(item, list->getElementType());
    switch (type->kind()) {
      case TypeKind::TensorType:
        if (isReference(item)) return resolved(item, type);
        if (const auto number = scalarOf(item); number && takesNumber(op_, argument_.name())) {
          return wrappedNumber(*number);
        }
        break;
      case TypeKind::IntType:
      case TypeKind::SymIntType:
        if (isInt64(item)) return item.get<std::int64_t>();
        break;
      case TypeKind::FloatType:
        if (const auto number = jsonNumber(item)) return *number;
        break;
      case TypeKind::BoolType:
      case TypeKind::SymBoolType:
        if (item.is_boolean()) return item.get<bool>();
        break;
      case TypeKind::NumberType:
        if (const auto number = scalarOf(item)) return *number;
        break;
      case TypeKind::StringType:
        if (item.is_string()) return item.get<std::string>();
        break;
      case TypeKind::DeviceObjType:
        if (item == "cpu" || item == "cuda") return c10::Device(item.get<std::string>());
        break;
      case TypeKind::ScalarTypeType:
        return static_cast<std::int64_t>(readDType(item));
      default:
        break;
    }
    throw refused(item, type);
  }

 private:
  static bool isReference(const json& item) {
    return item.is_string() && item.get_ref<const std::string&>().starts_with('$');
  }

  static std::optional<at::Scalar> scalarOf(const json& item) {
    if (item.is_boolean()) return at::Scalar(item.get<bool>());
    if (isInt64(item)) return at::Scalar(item.get<std::int64_t>());
    if (const auto number = jsonNumber(item)) return at::Scalar(*number);
    if (const auto number = jsonComplex(item)) return at::Scalar(*number);
    return std::nullopt;
  }

  IValue resolved(const json& item, const c10::TypePtr& type) const {
    auto value = resolve_(std::string_view(item.get_ref<const std::string&>()).substr(1));
    if (!value.isTensor()) throw refused(item, type);
    return value;
  }

  // As in PyTorch, a single item may replace a list. It is repeated N times for a list of fixed
  // size N, else once.
  IValue readList(const json& item, const c10::TypePtr& element) const {
    const auto count = static_cast<std::size_t>(argument_.N().value_or(1));
    const json items = item.is_array() ? item : json(count, item);
    c10::impl::GenericList list(
        element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element);
    for (const auto& each : items) list.push_back(read(each, element));
    return IValue(list);
  }

  Refusal refused(const json& item, const c10::TypePtr& type) const {
    return Refusal(where_ + ": got " + shown(item) + ", expected " + type->annotation_str());
  }

  const c10::OperatorHandle& op_;
  const c10::Argument& argument_;
  std::string where_;
  const Resolve& resolve_;
};

// Throws Refusal if a bool list has the wrong length. For bool[N] arguments, libtorch does not
// check it.
void verifyLength(const std::string& where, const c10::Argument& argument, const IValue& value) {
  if (!argument.N() || !value.isBoolList()) return;
  const auto length = static_cast<std::int64_t>(value.toBoolList().size());
  if (length == *argument.N()) return;
  throw Refusal(fmt::format("{}: got {} truth values, expected {}", where, length, *argument.N()));
}

// Throws Refusal for unknown keywords, arguments given twice, and keyword-only arguments given by
// position.
void verifyKeywords(const c10::OperatorHandle& op, std::size_t positional, const json& kwargs) {
  const std::string where = operatorName(op) + ": got ";
  if (!kwargs.is_object()) {
    throw Refusal(where + "kwargs " + shown(kwargs) + ", expected names with values");
  }
  for (const auto& [key, value] : kwargs.items()) {
    const auto index = op.schema().argumentIndexWithName(key);
    if (!index) throw Refusal(where + "argument '" + key + "', which it does not have");
    if (static_cast<std::size_t>(*index) < positional) {
      throw Refusal(where + "argument '" + key + "' twice");
    }
  }
  for (std::size_t i = 0; i < positional; ++i) {
    const auto& argument = op.schema().arguments()[i];
    if (argument.kwarg_only()) {
      throw Refusal(where + argument.name() + " by its position, expected it by name");
    }
  }
}

}  // namespace

c10::OperatorHandle findOperator(std::string_view call) {
  const auto rest = call.substr(call.find('.') + 1);
  const auto dot = rest.find('.');
  const std::string packet(rest.substr(0, dot));
  std::string overload(dot == std::string_view::npos ? "" : rest.substr(dot + 1));
  if (overload == "default") overload.clear();
  const auto op = c10::Dispatcher::singleton().findSchema({"aten::" + packet, overload});
  if (!op) throw Refusal("operator " + std::string(call) + " does not exist");
  return *op;
}

torch::jit::Stack callOperator(const c10::OperatorHandle& op, const json& args, const json& kwargs,
                               const Resolve& resolve) {
  const auto& formal = op.schema().arguments();
  const std::string name = operatorName(op);
  if (args.size() > formal.size()) {
    throw Refusal(
        fmt::format("{}: got {} arguments, expected at most {}", name, args.size(), formal.size()));
  }
  verifyKeywords(op, args.size(), kwargs);
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < formal.size(); ++i) {
    const auto& argument = formal[i];
    const auto keyword = kwargs.find(argument.name());
    const json* item = i < args.size() ? &args[i] : keyword != kwargs.end() ? &*keyword : nullptr;
    if (item == nullptr) {
      if (!argument.default_value()) {
        throw Refusal(name + ": got no argument " + argument.name() + ", expected " +
                      argument.type()->annotation_str());
      }
      stack.push_back(*argument.default_value());
      continue;
    }
    const std::string where = name + ": argument " + argument.name();
    stack.push_back(ArgumentReader(op, argument, resolve).read(*item, argument.real_type()));
    verifyLength(where, argument, stack.back());
  }
  op.callBoxed(&stack);
  return stack;
}

}  // namespace shardlens
