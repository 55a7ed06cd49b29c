#include "core/tensor/dispatch/output_metas.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/ops/foreach.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/element_check.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>
#include <ATen/WrapDimUtilsMulti.h>

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

// A device argument is for the ranks' locals; the stand-ins stay on meta.
c10::IValue onMetaDevice(const c10::IValue& arg) {
  return arg.isDevice() ? c10::IValue(c10::Device(at::kMeta)) : arg;
}

template <class Stand>
torch::jit::Stack runOnStandIns(const OpEntry& entry, at::ArrayRef<c10::IValue> args, Stand stand) {
  torch::jit::Stack stack;
  for (const auto& arg : args) stack.push_back(mapTensors(arg, stand));
  entry.op.callBoxed(&stack);
  return stack;
}

torch::jit::Stack runOnMeta(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  std::vector<c10::IValue> own;
  for (const auto& arg : args) own.push_back(onMetaDevice(arg));
  return runOnStandIns(entry, own, onMeta);
}

Metas metasOf(const torch::jit::Stack& stack) {
  Metas outputs;
  for (const auto& value : stack) {
    auto& metas = outputs.emplace_back();
    forEachTensor(value, [&](const at::Tensor& tensor) { metas.push_back(metaOf(tensor)); });
  }
  return outputs;
}

// Returns numbers that the operator can compute with: 1, or 0 for integers.
at::Tensor someNumbers(const at::Tensor& tensor) {
  const auto options = tensor.options().device(at::kCPU);
  const bool counts = at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
  return markedLike(
      tensor, counts ? at::zeros(tensor.sizes(), options) : at::ones(tensor.sizes(), options));
}

// For an operator without a rule: runs it on numbers if it has no meta function.
Metas wholeMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  try {
    return metasOf(runOnStandIns(entry, args, onMeta));
  } catch (const c10::NotImplementedError&) {
    return metasOf(runOnStandIns(entry, args, someNumbers));
  }
}

// Returns the metadata of an elementwise result, with the dimension order of the first input of
// that shape.
TensorMeta stretched(const OpEntry& entry, const OpSchema& call, DType dtype) {
  const Shape shape = stretchedShape(entry, call);
  Shape strides = contiguousStrides(shape);
  for (auto input = call.inputs.rbegin(); input != call.inputs.rend(); ++input) {
    if (input->meta.shape == shape) strides = stridesInOrder(shape, input->meta.strides);
  }
  return {shape, std::move(strides), dtype};
}

Metas elementwiseMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  const auto elements = entry.use.perElement ? elementsOf(call) : std::vector{Element{call, {}}};
  Metas metas = metasOf(runOnStandIns(entry, args, oneElement));
  for (auto& each : metas) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      const auto& own = elements[entry.use.perElement ? i : 0].call;
      each[i] = stretched(entry, own, each[i].dtype);
    }
  }
  return metas;
}

// Returns zeros with every dimension before the plane reduced to 1.
at::Tensor onePlane(const at::Tensor& tensor, int planeDims) {
  auto shape = tensor.sizes().vec();
  const auto before = tensor.dim() - std::min<std::int64_t>(tensor.dim(), planeDims);
  std::fill_n(shape.begin(), before, 1);
  return at::zeros({}, tensor.options().device(at::kCPU)).expand(shape);
}

// Throws Refusal unless all tensors have as many planes as the first.
void refuseUnlikePlanes(const OpSchema& call, int planeDims) {
  const auto shapeOfPlanes = [&](const TensorMeta& meta) {
    return Shape(meta.shape.begin(), meta.shape.end() - std::min(meta.ndim(), planeDims));
  };
  const Shape expected = shapeOfPlanes(call.input(0));
  for (const auto& input : call.inputs) {
    if (shapeOfPlanes(input.meta) == expected) continue;
    throw Refusal(call.name + ": got shape " + toText(input.meta.shape) +
                  ", expected the planes of " + toText(call.input(0).shape));
  }
}

Metas planeMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  const int planeDims = entry.use.rule->planeDims;
  refuseUnlikePlanes(call, planeDims);
  const auto standIn = [&](const at::Tensor& tensor) { return onePlane(tensor, planeDims); };
  Metas metas = metasOf(runOnStandIns(entry, args, standIn));
  const auto& first = call.input(0).shape;
  for (auto& each : metas) {
    for (auto& meta : each) {
      std::copy(first.begin(), first.end() - planeDims, meta.shape.begin());
      meta.strides = contiguousStrides(meta.shape);
    }
  }
  return metas;
}

// Returns which outputs are requested; empty if all are.
std::vector<std::int64_t> outputMask(const OpSchema& call) {
  const bool has = std::any_of(call.args.begin(), call.args.end(),
                               [](const Arg& arg) { return arg.name == "output_mask"; });
  return has ? call.intList("output_mask") : std::vector<std::int64_t>();
}

Metas writtenMetas(const OpEntry& entry, const OpSchema& call) {
  Metas metas(std::max<std::size_t>(entry.op.schema().returns().size(), 1));
  for (const auto input : call.written) metas.front().push_back(call.inputs[input].meta);
  return metas;
}

// Checks the dimension arguments, which no meta function checks.
void refuseOtherDims(const Rule& rule, const OpSchema& call) {
  const auto* named = call.findArg("dim");
  if (named == nullptr) return;
  const auto ndim =
      rule.sizeArg.empty() ? call.input(0).shape.size() : call.intList(rule.sizeArg).size();
  if (const auto* dim = std::get_if<std::int64_t>(named)) {
    at::maybe_wrap_dim(*dim, static_cast<std::int64_t>(ndim));
  } else {
    at::dim_list_to_bitset(call.intList("dim"), ndim);
  }
}

// Returns the outputs that the rule computes; for a list operator one per element.
Metas metasOfRule(const OpEntry& entry, const OpSchema& call) {
  const Rule& rule = *entry.use.rule;
  refuseOtherDims(rule, call);
  Metas metas;
  if (entry.use.perElement) {
    auto& list = metas.emplace_back();
    for (const auto& element : elementsOf(call)) list.push_back(rule.outputs(element.call).front());
  } else if (entry.op.schema().returns().size() == 1) {
    metas.push_back(rule.outputs(call));
  } else {
    const auto ofRule = rule.outputs(call);
    const auto wanted = outputMask(call);
    metas.resize(entry.op.schema().returns().size());
    for (std::size_t i = 0; i < ofRule.size(); ++i) {
      if (wanted.empty() || wanted[i] != 0) metas[i] = {ofRule[i]};
    }
  }
  return metas;
}

// Returns true if the call sets the memory format of its result.
bool asksForLayout(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  const auto at = entry.op.schema().argumentIndexWithName("memory_format");
  return at && !args[static_cast<std::size_t>(*at)].isNone();
}

Metas metasOfCall(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  if (entry.use.rule->outputs != nullptr) return metasOfRule(entry, call);
  const bool givesNothing = entry.op.schema().returns().empty();
  if (entry.inPlace && (entry.use.perElement || givesNothing)) return writtenMetas(entry, call);
  if (entry.use.rule->elementwise && !asksForLayout(entry, args)) {
    return elementwiseMetas(entry, args, call);
  }
  if (entry.use.rule->planeDims > 0) return planeMetas(entry, args, call);
  return metasOf(runOnMeta(entry, args));
}

// Returns the first hosted rank's local of a replicated tensor.
at::Tensor anyLocal(const OpEntry& entry, const at::Tensor& tensor) {
  if (!isDTensor(tensor)) return tensor;
  if (tensor.is_meta()) {
    throw Refusal(entry.name +
                  ": got tensors without data, expected data, because the output size " +
                  "depends on it");
  }
  const auto& locals = dtensorImpl(tensor).locals();
  if (locals.empty()) {
    throw Refusal(entry.name +
                  ": got a mesh of which this process hosts no rank, expected one of " +
                  "all ranks, because the output size depends on their data");
  }
  return locals.front();
}

Metas metasOfData(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  const auto standIn = [&](const at::Tensor& tensor) { return anyLocal(entry, tensor); };
  return metasOf(runOnStandIns(entry, args, standIn));
}

// Throws Refusal if a written tensor would change its shape. libtorch would resize an `out=`
// argument, on each rank separately.
void refuseResized(const OpSchema& call, const Metas& metas) {
  std::size_t output = 0;
  for (const auto& each : metas) {
    for (const auto& meta : each) {
      if (output == call.written.size()) return;
      const Shape& written = call.input(call.written[output++]).shape;
      if (written == meta.shape) continue;
      throw Refusal(call.name + ": output with shape " + toText(written) +
                    " doesn't match the broadcast shape " + toText(meta.shape));
    }
  }
}

}  // namespace

bool isSizedByData(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  if (!entry.sizedByData) return false;
  bool masks = false, indexes = false;
  for (const auto& arg : args) {
    if (!arg.isOptionalTensorList()) continue;
    indexes = true;
    forEachTensor(arg, [&](const at::Tensor& index) {
      masks = masks || index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
    });
  }
  return masks || !indexes;
}

Metas outputMetas(const OpEntry& entry, at::ArrayRef<c10::IValue> args, const OpSchema& call) {
  if (entry.use.rule == nullptr) return wholeMetas(entry, args);
  if (entry.use.perElement) {
    refuseUnlikeLengths(entry, args);
    refuseUnlikeElements(entry, call);
  }
  if (entry.name.starts_with("aten._chunk_cat")) refuseNumbers(entry, call);
  auto metas =
      isSizedByData(entry, args) ? metasOfData(entry, args) : metasOfCall(entry, args, call);
  refuseResized(call, metas);
  return metas;
}

}  // namespace shardlens
