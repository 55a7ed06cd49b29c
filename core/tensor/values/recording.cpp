#include "core/tensor/values/recording.h"

#include "core/memory/dtypes.h"

#include <ATen/ATen.h>

#include <cstring>

namespace shardlens {

namespace {

// Compares bytes, so that equal NaNs are equal. False if `one` is undefined. The data of an empty
// tensor is null, which memcmp() rejects.
bool areSame(const at::Tensor& one, const at::Tensor& other) {
  return one.defined() && one.sizes() == other.sizes() &&
         (other.nbytes() == 0 ||
          std::memcmp(one.const_data_ptr(), other.const_data_ptr(), other.nbytes()) == 0);
}

}  // namespace

void recordValues(Recorder& recorder, EventId event, TensorId tensor, const Buffers& locals,
                  const std::vector<int>& ranks) {
  at::Tensor before;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].is_meta() || !recorder.recordsValue(tensor, ranks[i])) continue;
    const auto whole = locals[i].to(at::kCPU).contiguous();
    const bool isSame = areSame(before, whole) && recorder.valueAgain(ranks[i]);
    before = whole;
    if (isSame) continue;
    ValueRecord value;
    value.event = event;
    value.tensor = tensor;
    value.rank = ranks[i];
    value.shape = whole.sizes().vec();
    const auto* first = static_cast<const std::byte*>(whole.const_data_ptr());
    recorder.value(std::move(value), {first, whole.nbytes()});
  }
}

TensorId addMaskRecord(Recorder& recorder, const std::string& name, const Buffers& masks) {
  Shape shape;
  if (!masks.empty()) shape = masks.front().sizes().vec();
  return recorder.addTensor(name, Spec(DType::Bool, std::move(shape)));
}

}  // namespace shardlens
