#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

bool isGiven(const c10::IValue& arg) { return !arg.isNone() && arg.toTensor().defined(); }

void checkAxis(const std::string& name, const at::Tensor& data, std::int64_t axis,
               const c10::IValue& lengths, const c10::IValue& offsets) {
  if (axis < 0 || axis >= data.dim()) {
    throw Refusal(fmt::format("{}: axis: got {} of data of {} dimensions", name, axis, data.dim()));
  }
  if (isGiven(lengths) == isGiven(offsets)) {
    throw Refusal(name + ": got lengths and offsets, or none, expected one of them");
  }
  const at::Tensor segments = isGiven(lengths) ? lengths.toTensor() : offsets.toTensor();
  expectDims(name + ": lengths or offsets", segments, axis + 1);
  if (segments.scalar_type() != at::kInt) {
    expectDType(name + ": lengths or offsets", segments, at::kLong);
  }
  for (std::int64_t dim = 0; dim < axis; ++dim) {
    if (segments.size(dim) == data.size(dim)) continue;
    throw Refusal(fmt::format("{}: lengths or offsets: got size {} of dimension {}, expected {}",
                              name, segments.size(dim), dim, data.size(dim)));
  }
}

// data, reduce, lengths, indices, offsets, axis, unsafe, initial
void checkReduce(Args args, const Tensors& inputs) {
  const std::string name = "aten.segment_reduce";
  if (isGiven(args[3])) throw Refusal(name + ": got indices, expected lengths or offsets");
  checkAxis(name, inputs[0], args[5].toInt(), args[2], args[4]);
}

// grad, output, data, reduce, lengths, offsets, axis, initial
void checkSegmentBackward(Args args, const Tensors& inputs) {
  const std::string name = "aten._segment_reduce_backward";
  checkAxis(name, inputs[2], args[6].toInt(), args[4], args[5]);
  const bool isOfLengths = isGiven(args[4]);
  auto shape = inputs[2].sizes().vec();
  const auto axis = static_cast<std::size_t>(args[6].toInt());
  shape[axis] = inputs[3].size(args[6].toInt()) - (isOfLengths ? 0 : 1);
  expectShape(name + ": grad", inputs[0], shape);
  expectShape(name + ": output", inputs[1], shape);
}

// libtorch does not check offsets, nor lengths that are declared safe, and would read beyond the
// data.
void refuseBadSegments(const at::Tensor& segments, bool areOffsets, std::int64_t rows) {
  const auto wide = segments.to(at::kLong);
  const auto lengths = areOffsets ? wide.diff() : wide;
  const bool fits = (lengths.numel() == 0 || lengths.min().item<std::int64_t>() >= 0) &&
                    (!areOffsets || (wide.numel() > 0 && wide.min().item<std::int64_t>() >= 0 &&
                                     wide.max().item<std::int64_t>() <= rows)) &&
                    (areOffsets || wide.sum(-1).eq(rows).all().item<bool>());
  if (fits) return;
  throw Refusal(fmt::format("segments: got {} that are not those of {} rows",
                            areOffsets ? "offsets" : "lengths", rows));
}

template <std::size_t kData, std::size_t kLengths, std::size_t kOffsets, std::size_t kAxis>
LocalResult ofSegments(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    const bool areOffsets = isGiven(stack[kOffsets]);
    refuseBadSegments(stack[areOffsets ? kOffsets : kLengths].toTensor(), areOffsets,
                      stack[kData].toTensor().size(stack[kAxis].toInt()));
    return call.runPlain(i, std::move(stack));
  });
}

}  // namespace

std::vector<NamedKernel> segmentKernels() {
  return {{"aten.segment_reduce", {.check = checkReduce, .run = ofSegments<0, 2, 4, 5>}},
          {"aten._segment_reduce_backward",
           {.check = checkSegmentBackward, .run = ofSegments<2, 4, 5, 6>}}};
}

}  // namespace shardlens
