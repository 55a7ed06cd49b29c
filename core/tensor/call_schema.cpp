#include "core/tensor/call_schema.h"

#include "core/tensor/dtype.h"
#include "core/tensor/refusal.h"
#include "core/tensor/runtime.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>

#include <sstream>

namespace shardlens {
namespace {

std::string textOf(const c10::IValue& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

ArgValue describeArg(const c10::IValue& arg, std::size_t& nextTensor) {
  if (arg.isNone()) return std::monostate{};
  if (arg.isTensor()) {
    return arg.toTensor().defined() ? ArgValue(TensorIndex{nextTensor++}) : std::monostate{};
  }
  if (arg.isTensorList() || arg.isOptionalTensorList()) {
    std::vector<TensorIndex> list;
    forEachTensor(arg, [&](const at::Tensor&) { list.push_back({nextTensor++}); });
    return list;
  }
  if (arg.isBool()) return arg.toBool();
  if (arg.isInt()) return arg.toInt();
  if (arg.isIntList()) return arg.toIntVector();
  return textOf(arg);
}

TensorMeta metaOf(const at::Tensor& tensor) {
  return {tensor.sizes().vec(), tensor.strides().vec(), dtypeOf(tensor.scalar_type())};
}

at::Tensor onMeta(const at::Tensor& tensor) {
  auto meta =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    meta.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return meta;
}

}  // namespace

std::string operatorName(const c10::OperatorHandle& op) {
  std::string name = op.schema().name();
  const auto colons = name.find("::");
  if (colons != std::string::npos) name.replace(colons, 2, ".");
  const auto& overload = op.schema().overload_name();
  return overload.empty() ? name : name + "." + overload;
}

CallInputs collectInputs(const std::string& name, at::ArrayRef<c10::IValue> args) {
  CallInputs inputs;
  const auto take = [&](const at::Tensor& tensor) {
    inputs.tensors.push_back(tensor);
    if (!isSharded(tensor)) return;
    const auto& runtime = shardedImpl(tensor).sharedRuntime();
    if (inputs.runtime && inputs.runtime != runtime) {
      throw Refusal(name + ": Cross device mesh comm not supported yet!");
    }
    inputs.runtime = runtime;
  };
  for (const auto& arg : args) forEachTensor(arg, take);
  if (!inputs.runtime) throw Refusal(name + ": got no sharded tensor among its arguments");
  for (const auto& tensor : inputs.tensors) {
    if (!isSharded(tensor) && tensor.numel() != 1) {
      throw Refusal(name +
                    ": got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to "
                    "DTensor before calling distributed operators!");
    }
  }
  return inputs;
}

Spec inputSpec(const at::Tensor& tensor, const Runtime& runtime) {
  if (isSharded(tensor)) return specOf(tensor);
  const auto dims = static_cast<std::size_t>(runtime.mesh()->ndim());
  return {runtime.mesh(), Placements(dims, Replicate{}), metaOf(tensor)};
}

OpSchema describeCall(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> args,
                      const CallInputs& inputs) {
  OpSchema call;
  call.name = operatorName(op);
  call.mesh = inputs.runtime->mesh();
  for (const auto& tensor : inputs.tensors)
    call.inputs.push_back(inputSpec(tensor, *inputs.runtime));
  const auto& formal = op.schema().arguments();
  std::size_t nextTensor = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    call.args.push_back({formal[i].name(), describeArg(args[i], nextTensor)});
  }
  const auto& first = formal.front().alias_info();
  call.inPlace = first != nullptr && first->isWrite() && !op.schema().returns().empty();
  return call;
}

std::vector<std::vector<TensorMeta>> metaOutputs(const c10::OperatorHandle& op,
                                                 at::ArrayRef<c10::IValue> args) {
  torch::jit::Stack stack;
  for (const auto& arg : args) stack.push_back(mapTensors(arg, onMeta));
  op.callBoxed(&stack);
  std::vector<std::vector<TensorMeta>> outputs;
  for (const auto& value : stack) {
    auto& metas = outputs.emplace_back();
    forEachTensor(value, [&](const at::Tensor& tensor) { metas.push_back(metaOf(tensor)); });
  }
  return outputs;
}

}  // namespace shardlens
