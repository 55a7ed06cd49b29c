#include "core/tensor/dispatch/call_schema.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/tensor/dispatch/op_entry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <sstream>

namespace shardlens {
namespace {

std::string textOf(const c10::IValue& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

bool isDType(const c10::Argument& formal) {
  auto type = formal.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::ScalarTypeType;
}

ArgValue describeArg(const c10::Argument& formal, const c10::IValue& arg, std::size_t& nextTensor) {
  if (arg.isNone()) return std::monostate{};
  if (arg.isTensor()) {
    return arg.toTensor().defined() ? ArgValue(TensorIndex{nextTensor++}) : std::monostate{};
  }
  if (arg.isTensorList() || arg.isOptionalTensorList()) {
    std::vector<TensorIndex> list;
    for (const auto& each : arg.toListRef()) {
      const bool isNone = each.isNone() || !each.toTensor().defined();
      list.push_back(isNone ? TensorIndex{} : TensorIndex{nextTensor++});
    }
    return list;
  }
  if (arg.isBool()) return arg.toBool();
  if (arg.isInt() && isDType(formal)) return dtypeOf(arg.toScalarType());
  if (arg.isInt()) return arg.toInt();
  if (arg.isDouble()) return arg.toDouble();
  if (arg.isIntList()) return arg.toIntVector();
  if (arg.isBoolList()) {
    const auto list = arg.toBoolList();
    return std::vector<std::int64_t>(list.begin(), list.end());
  }
  return textOf(arg);
}

bool isWholeOrBool(const at::Tensor& tensor) {
  return !tensor.is_floating_point() && !tensor.is_complex();
}

// Returns the kind of a number; of all real numbers "real" unless `tellsReals`.
std::string_view kindOf(const c10::IValue& number, bool tellsReals) {
  if (number.isComplexDouble()) return "complex";
  if (!tellsReals) return "real";
  return number.isBool() ? "bool" : number.isInt() ? "int" : "float";
}

// libtorch cannot store integers below -2^62: it takes them for symbolic ones.
void refuseSymbolic(const std::string& name, const c10::IValue& arg) {
  if (!arg.isSymInt() && !arg.isSymIntList()) return;
  throw Refusal(name + ": got a number below -4611686018427387904, expected a larger one");
}

}  // namespace

bool isComputingGradients() { return torch::autograd::get_current_node() != nullptr; }

CallInputs collectInputs(const std::string& name, at::ArrayRef<c10::IValue> args) {
  CallInputs inputs;
  const auto take = [&](const at::Tensor& tensor) {
    inputs.tensors.push_back(tensor);
    if (inputs.runtime || !isDTensor(tensor)) return;
    inputs.runtime = dtensorImpl(tensor).sharedRuntime();
  };
  for (const auto& arg : args) {
    refuseSymbolic(name, arg);
    forEachTensor(arg, take);
  }
  if (!inputs.runtime) throw Refusal(name + ": got no sharded tensor among its arguments");
  return inputs;
}

void refuseMixed(const std::string& name, const CallInputs& inputs) {
  for (const auto& tensor : inputs.tensors) {
    if (isDTensor(tensor) && dtensorImpl(tensor).sharedRuntime() != inputs.runtime) {
      throw Refusal(name + ": Cross device mesh comm not supported yet!");
    }
  }
  for (const auto& tensor : inputs.tensors) {
    if (!isDTensor(tensor) && tensor.numel() != 1 && !isComputingGradients()) {
      throw Refusal(name +
                    ": got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to "
                    "DTensor before calling distributed operators!");
    }
  }
}

Spec inputSpec(const at::Tensor& tensor, const Runtime& runtime) {
  if (isDTensor(tensor)) return specOf(tensor);
  const auto dims = static_cast<std::size_t>(runtime.mesh()->ndim());
  return {runtime.mesh(), Placements(dims, Replicate{}), metaOf(tensor)};
}

std::string freeNumberText(const c10::IValue& number, at::ArrayRef<c10::IValue> args) {
  bool tellsReals = false;
  for (const auto& arg : args) {
    forEachTensor(arg, [&](const at::Tensor& tensor) { tellsReals |= isWholeOrBool(tensor); });
  }
  if (!number.isList()) return std::string(kindOf(number, tellsReals));
  std::string text = "[";
  for (const c10::IValue& each : number.toListRef()) {
    text.append(text.size() == 1 ? "" : ", ").append(kindOf(each, tellsReals));
  }
  return text + "]";
}

OpSchema describeCall(const OpEntry& entry, at::ArrayRef<c10::IValue> args,
                      const CallInputs& inputs) {
  OpSchema call;
  call.name = entry.name;
  call.mesh = inputs.runtime->mesh();
  for (const auto& tensor : inputs.tensors)
    call.inputs.push_back(inputSpec(tensor, *inputs.runtime));
  const auto& formal = entry.op.schema().arguments();
  const auto &written = entry.writtenArgs, &free = entry.freeNumbers;
  std::size_t nextTensor = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::size_t first = nextTensor;
    const bool isFree = std::count(free.begin(), free.end(), i) > 0 && !args[i].isNone();
    call.args.push_back({formal[i].name(), isFree ? ArgValue(freeNumberText(args[i], args))
                                                  : describeArg(formal[i], args[i], nextTensor)});
    const bool isWritten = std::count(written.begin(), written.end(), i) > 0;
    const bool writesData = entry.inPlace && !entry.viewsInPlace;
    for (std::size_t t = first; t < nextTensor && writesData && isWritten; ++t) {
      call.written.push_back(t);
    }
  }
  return call;
}

}  // namespace shardlens
