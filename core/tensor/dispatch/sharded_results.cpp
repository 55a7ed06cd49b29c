// Part of ShardedCall: runs the operator on each hosted rank, and wraps the results.
#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/tensor/dispatch/sharded_call.h"
#include "core/tensor/events/compute_span.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/values/ivalues.h"
#include "core/tensor/values/recording.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>

namespace shardlens {

LocalResult ShardedCall::runLocally(const CachedCall& answer) {
  const ComputeSpan span(runtime_, shortName());
  const bool own = kernel() != nullptr && kernel()->run != nullptr;
  if (hasNoData() && !(own && kernel()->runsDry)) return withoutData(answer);
  const LocalCall call{runtime_, entry_.localOp, answer, args_, inputs_.tensors};
  return own ? kernel()->run(call) : runPlain(call);
}

bool ShardedCall::hasNoData() const {
  const bool asksForData = runtime_.comm().deviceType() != at::kMeta &&
                           std::any_of(args_.begin(), args_.end(), [](const auto& arg) {
                             return arg.isDevice() && !arg.toDevice().is_meta();
                           });
  return !asksForData &&
         std::any_of(inputs_.tensors.begin(), inputs_.tensors.end(),
                     [](const auto& input) { return isDTensor(input) && input.is_meta(); });
}

LocalResult ShardedCall::withoutData(const CachedCall& answer) const {
  for (const auto& formal : entry_.op.schema().returns()) {
    const auto kind = formal.type()->kind();
    if (kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType) continue;
    throw Refusal(entry_.name + ": got tensors without data, expected some: its result is of them");
  }
  // As with data: computing on owned rows materialises the partial values.
  for (const auto& input : inputs_.tensors) {
    if (isDTensor(input)) (void)dtensorImpl(input).locals();
  }
  LocalResult result;
  for (const auto& layout : answer.outputs) {
    const auto options = at::TensorOptions(at::kMeta).dtype(scalarType(layout->spec.meta.dtype));
    auto& buffers = result.outputs.emplace_back();
    for (const auto& shape : layout->localShapes) buffers.push_back(at::empty(shape, options));
  }
  return result;
}

std::vector<c10::IValue> ShardedCall::wrapped(const CachedCall& answer, LocalResult result) {
  // A process that hosts no rank of the mesh has no outputs yet.
  result.outputs.resize(answer.outputs.size());
  if (entry_.viewsInPlace) {
    const auto& viewed = args_[entry_.writtenArgs.front()].toTensor();
    dtensorImpl(viewed).become(answer.outputs.front(), std::move(result.outputs.front()));
  }
  if (entry_.inPlace) return writtenArgs();
  masks_ = std::move(result.masks);
  std::vector<c10::IValue> values;
  std::size_t output = 0, plain = 0;
  const auto next = [&](bool copied) {
    const auto& layout = answer.outputs[output];
    const bool isRows = output == 0 && result.rows != nullptr;
    auto tensor = isRows ? makeSharded(inputs_.runtime, layout, result.rows)
                         : makeSharded(inputs_.runtime, layout, std::move(result.outputs[output]));
    if (copied) dtensorImpl(tensor).setCopiedView();
    nameResult(tensor);
    ++output;
    return tensor;
  };
  const auto& formal = entry_.op.schema().returns();
  for (std::size_t i = 0; i < formal.size(); ++i) {
    std::optional<c10::InferenceMode> ordinary;
    if (c10::InferenceMode::is_enabled() && viewsOrdinary(i)) ordinary.emplace(false);
    const auto kind = formal[i].type()->kind();
    if (kind == c10::TypeKind::TensorType) {
      values.emplace_back(answer.counts[i] == 0 ? at::Tensor() : next(isCopiedView(i, answer)));
    } else if (kind == c10::TypeKind::ListType && plain == result.plain.size()) {
      c10::List<at::Tensor> list;
      while (list.size() < answer.counts[i]) list.push_back(next(isCopiedView(i, answer)));
      values.emplace_back(std::move(list));
    } else {
      if (plain == result.plain.size()) refuseUnheard();
      values.push_back(std::move(result.plain[plain++]));
    }
  }
  return values;
}

bool ShardedCall::viewsOrdinary(std::size_t result) const {
  const auto* alias = entry_.op.schema().returns()[result].alias_info();
  return alias != nullptr && !alias->isWrite() && args_[0].isTensor() &&
         !args_[0].toTensor().is_inference();
}

void ShardedCall::refuseUnheard() const {
  throw Refusal(entry_.name + ": got a mesh of which this process hosts no rank, expected one of " +
                "all ranks where a number is read");
}

std::vector<c10::IValue> ShardedCall::writtenArgs() {
  std::vector<c10::IValue> values;
  for (std::size_t i = 0; i < entry_.op.schema().returns().size(); ++i) {
    values.push_back(args_[entry_.writtenArgs[i]]);
  }
  for (const auto arg : entry_.writtenArgs) {
    forEachTensor(args_[arg], [](const at::Tensor& tensor) {
      if (isDTensor(tensor)) recordResult(tensor, dtensorImpl(tensor).name());
    });
  }
  return values;
}

void ShardedCall::nameResult(const at::Tensor& tensor) {
  auto& impl = dtensorImpl(tensor);
  Recorder& recorder = runtime_.recorder();
  const bool named = runtime_.namesResults();
  const std::string name = named ? runtime_.resultNames().idOr(resultName()) : std::string();
  sharePending(impl, name);
  if (!named) return;
  if (!masks_.empty()) impl.setMaskRecord(addMaskRecord(recorder, "mask of " + name, masks_));
  const EventId event = recordResult(tensor, name);
  if (!masks_.empty()) {
    recordValues(recorder, event, impl.maskRecord(), masks_, runtime_.comm().hosted());
  }
}

void ShardedCall::sharePending(DTensorImpl& result, const std::string& name) const {
  if (!hasMask(result.spec().placements)) return;
  if (masked_ != nullptr) return result.setPending(masked_);
  for (const auto& input : inputs_.tensors) {
    if (!isDTensor(input) || dtensorImpl(input).pending() == nullptr) continue;
    const auto& impl = dtensorImpl(input);
    result.setPending(isPendingResult(impl) ? impl.pending() : impl.pending()->again(name));
  }
}

}  // namespace shardlens
