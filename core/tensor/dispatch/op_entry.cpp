#include "core/tensor/dispatch/op_entry.h"

#include <algorithm>

namespace shardlens {
namespace {

bool isWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Returns true for a Scalar or a float, also if optional or in a list.
bool isNumber(const c10::Argument& argument) {
  auto type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  if (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
  return type->kind() == c10::TypeKind::NumberType || type->kind() == c10::TypeKind::FloatType;
}

// Returns "aten::t" for "aten::t_"; nullopt if the operator is not in place.
std::optional<c10::OperatorHandle> outOfPlace(const c10::OperatorHandle& op) {
  auto name = op.operator_name();
  if (!name.name.ends_with('_')) return std::nullopt;
  name.name.pop_back();
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto found = dispatcher.findSchema(name);
  return found ? found : dispatcher.findSchema({name.name, "int"});  // "aten::transpose.int"
}

// Some in-place operators lack a tag that their out-of-place form has ("gelu_").
OpTag tagOf(const c10::OperatorHandle& op) {
  if (op.hasTag(at::Tag::pointwise)) return OpTag::Pointwise;
  const auto other = outOfPlace(op);
  return other && other->hasTag(at::Tag::pointwise) ? OpTag::Pointwise : OpTag::None;
}

}  // namespace

std::string operatorName(const c10::OperatorHandle& op) {
  const std::string_view name = op.schema().name();
  const auto colons = name.find("::");
  std::string text(name.substr(0, colons));
  if (colons != std::string_view::npos) text.append(".").append(name.substr(colons + 2));
  const auto& overload = op.schema().overload_name();
  return overload.empty() ? text : text + "." + overload;
}

OpEntry::OpEntry(const c10::OperatorHandle& handle)
    : op(handle),
      name(operatorName(handle)),
      use(findRule(name, tagOf(handle))),
      kernel(findLocalKernel(name)),
      localOp(handle) {
  const auto& arguments = op.schema().arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (isWritten(arguments[i])) writtenArgs.push_back(i);
    const bool isFree =
        arguments[i].kwarg_only() ||
        (use.rule && (use.rule->freeNumbers || (use.perElement && use.rule->elementwise)));
    if (isNumber(arguments[i]) && isFree) freeNumbers.push_back(i);
    writesOut = writesOut || arguments[i].is_out();
    const bool namesIds = arguments[i].name() == "index" || arguments[i].name() == "indices";
    if (namesIds && kernel != nullptr && kernel->check != nullptr) idArgs.push_back(i);
  }
  const auto& returns = op.schema().returns();
  const auto view = op.hasTag(at::Tag::inplace_view) ? outOfPlace(op) : std::nullopt;
  if (view) {
    viewsInPlace = true;
    localOp = *view;
    kernel = findLocalKernel(operatorName(*view));
  }
  sizedByData = op.hasTag(at::Tag::dynamic_output_shape);
  inPlace = !writtenArgs.empty() && std::all_of(returns.begin(), returns.end(), isWritten);
}

}  // namespace shardlens
