#include "core/tensor/values/recording.h"

#include "core/memory/dtypes.h"

#include <ATen/ATen.h>

#include <cstring>

namespace shardlens {
namespace {

ValueRecord captured(const at::Tensor& local) {
  ValueRecord value;
  value.shape = local.sizes().vec();
  const auto whole = local.to(at::kCPU).contiguous();
  auto bytes = std::make_shared<std::vector<std::byte>>(whole.nbytes());
  if (!bytes->empty()) std::memcpy(bytes->data(), whole.const_data_ptr(), bytes->size());
  value.data = std::move(bytes);
  return value;
}

}  // namespace

void recordValues(Recorder& recorder, EventId event, TensorId tensor, const Buffers& locals,
                  const std::vector<int>& ranks) {
  if (recorder.capture() == CaptureLevel::None) return;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].is_meta()) continue;
    auto value = captured(locals[i]);
    value.event = event;
    value.tensor = tensor;
    value.rank = ranks[i];
    recorder.value(std::move(value));
  }
}

TensorId addMaskRecord(Recorder& recorder, const std::string& name, const Buffers& masks) {
  SpecRecord spec{.dtype = DType::Bool};
  if (!masks.empty()) spec.shape = masks.front().sizes().vec();
  return recorder.addTensor(name, std::move(spec));
}

}  // namespace shardlens
