#include "core/tensor/output_metas.h"

#include "core/ops/elements.h"
#include "core/tensor/call_schema.h"
#include "core/tensor/dtype.h"
#include "core/tensor/refusal.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <algorithm>

namespace shardlens {
namespace {

using Metas = std::vector<std::vector<TensorMeta>>;

at::Tensor markedLike(const at::Tensor& tensor, at::Tensor stand) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    stand.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return stand;
}

at::Tensor onMeta(const at::Tensor& tensor) {
  return markedLike(tensor, at::empty_strided(tensor.sizes(), tensor.strides(),
                                              tensor.options().device(at::kMeta)));
}

at::Tensor oneElement(const at::Tensor& tensor) {
  return markedLike(tensor, at::ones(std::vector<std::int64_t>(tensor.dim(), 1),
                                     tensor.options().device(at::kCPU)));
}

template <class Stand>
torch::jit::Stack runOnStandIns(const OpEntry& entry, at::ArrayRef<c10::IValue> args, Stand stand) {
  torch::jit::Stack stack;
  for (const auto& arg : args) stack.push_back(mapTensors(arg, stand));
  entry.op.callBoxed(&stack);
  return stack;
}

Metas metasOf(const torch::jit::Stack& stack) {
  Metas outputs;
  for (const auto& value : stack) {
    auto& metas = outputs.emplace_back();
    forEachTensor(value, [&](const at::Tensor& tensor) { metas.push_back(metaOf(tensor)); });
  }
  return outputs;
}

// The inputs' shapes, stretched to one another; laid out as the first input of that shape is.
TensorMeta stretched(const OpSchema& call, DType dtype) {
  std::vector<std::int64_t> shape;
  for (const auto& input : call.inputs) shape = at::infer_size(shape, input.meta.shape);
  Shape strides = contiguousStrides(shape);
  for (auto input = call.inputs.rbegin(); input != call.inputs.rend(); ++input) {
    if (input->meta.shape == shape) strides = stridesInOrder(shape, input->meta.strides);
  }
  return {std::move(shape), std::move(strides), dtype};
}

Metas elementwiseMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  const auto elements = entry.use.perElement ? elementsOf(call) : std::vector{Element{call, {}}};
  Metas metas = metasOf(runOnStandIns(entry, args, oneElement));
  for (auto& each : metas) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      each[i] = stretched(elements[entry.use.perElement ? i : 0].call, each[i].dtype);
    }
  }
  if (entry.inPlace &&
      metas.front().front().shape != call.inputs[call.written.front()].meta.shape) {
    throw Refusal("output with shape " + toText(call.inputs[call.written.front()].meta.shape) +
                  " doesn't match the broadcast shape " + toText(metas.front().front().shape));
  }
  return metas;
}

// Which of the outputs somebody wants; empty where all are.
std::vector<std::int64_t> outputMask(const OpSchema& call) {
  const bool has = std::any_of(call.args.begin(), call.args.end(),
                               [](const Arg& arg) { return arg.name == "output_mask"; });
  return has ? call.intList("output_mask") : std::vector<std::int64_t>();
}

// Of the inputs that are lists, those that are not empty; but not the steps, which are scalars.
std::vector<std::vector<TensorIndex>> listsOf(const OpSchema& call) {
  std::vector<std::vector<TensorIndex>> lists;
  for (const auto& [name, value] : call.args) {
    const auto* list = std::get_if<std::vector<TensorIndex>>(&value);
    if (list != nullptr && !list->empty() && name != "state_steps") lists.push_back(*list);
  }
  return lists;
}

// The elements of the first list are written. Ranks would stretch the others to their parts of
// them; fused kernels do not even look at the shapes.
void refuseOtherElements(const OpEntry& entry, const OpSchema& call) {
  const bool isFused = entry.name.starts_with("aten._fused_");
  const auto lists = listsOf(call);
  for (std::size_t i = 0; !lists.empty() && i < lists.front().size(); ++i) {
    const Shape& written = call.input(lists.front()[i].index).shape;
    for (const auto& list : lists) {
      if (i >= list.size() || list[i].isNone()) continue;
      const Shape& shape = call.input(list[i].index).shape;
      if (shape == written || (!isFused && at::infer_size(written, shape) == written)) continue;
      const std::string where = "element " + std::to_string(i) + " of a list of " + entry.name;
      if (isFused) {
        throw Refusal(where + ": got shape " + toText(shape) + ", expected " + toText(written));
      }
      const Shape stretched = at::infer_size(written, shape);
      throw Refusal("output with shape " + toText(written) + " doesn't match the broadcast shape " +
                    toText(stretched) + ": " + where + ": got " + toText(shape) +
                    ", expected one that stretches to " + toText(written));
    }
  }
}

Metas writtenMetas(const OpEntry& entry, const OpSchema& call) {
  if (entry.use.perElement) refuseOtherElements(entry, call);
  Metas metas(std::max<std::size_t>(entry.op.schema().returns().size(), 1));
  for (const auto input : call.written) metas.front().push_back(call.inputs[input].meta);
  return metas;
}

// As the rule tells; a list has the outputs of each of its elements.
Metas toldMetas(const OpEntry& entry, const OpSchema& call) {
  const Rule& rule = *entry.use.rule;
  Metas metas;
  if (entry.use.perElement) {
    auto& list = metas.emplace_back();
    for (const auto& element : elementsOf(call)) list.push_back(rule.outputs(element.call).front());
  } else if (entry.op.schema().returns().size() == 1) {
    metas.push_back(rule.outputs(call));
  } else {
    const auto told = rule.outputs(call);
    const auto wanted = outputMask(call);
    metas.resize(told.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (wanted.empty() || wanted[i] != 0) metas[i] = {told[i]};
    }
  }
  return metas;
}

// Whether the call says how its result lies in memory.
bool asksForLayout(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  const auto at = entry.op.schema().argumentIndexWithName("memory_format");
  return at && !args[static_cast<std::size_t>(*at)].isNone();
}

}  // namespace

Metas outputMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  if (entry.use.rule->outputs != nullptr) return toldMetas(entry, call);
  const bool givesNothing = entry.op.schema().returns().empty();
  if (entry.inPlace && (entry.use.perElement || givesNothing)) return writtenMetas(entry, call);
  if (entry.use.rule->elementwise && !asksForLayout(entry, args)) {
    return elementwiseMetas(entry, args, call);
  }
  return metasOf(runOnStandIns(entry, args, onMeta));
}

}  // namespace shardlens
