#include "core/base/refusal.h"
#include "core/model/placement.h"
#include "core/model/spec.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <limits>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Returns the offset of the view's last element from the tensor's first one: -1 if the view is
// empty, the largest int64 on overflow.
std::int64_t lastOf(const std::vector<std::int64_t>& size, const std::vector<std::int64_t>& stride,
                    std::int64_t first) {
  for (std::size_t dim = 0; dim < size.size(); ++dim) {
    if (size[dim] == 0) return -1;
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(size[dim] - 1, stride[dim], &extent) ||
        __builtin_add_overflow(first, extent, &first)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return first;
}

// self, size, stride, storage_offset
bool isItself(Args args) {
  const auto self = args[0].toTensor();
  return args[1].toIntVector() == self.sizes() && args[2].toIntVector() == self.strides() &&
         (args[3].isNone() || args[3].toInt() == self.storage_offset());
}

// Arguments: self, size, stride, storage_offset, or src before size. Throws Refusal if the view
// reads outside the tensor's elements, which ranks do not have.
void check(const std::string& name, Args args, std::size_t sizeArg) {
  const auto self = args[0].toTensor();
  const auto size = args[sizeArg].toIntVector(), stride = args[sizeArg + 1].toIntVector();
  if (size.size() != stride.size()) {
    throw Refusal(fmt::format("{}: got {} sizes and {} strides, expected one for each", name,
                              size.size(), stride.size()));
  }
  for (std::size_t dim = 0; dim < size.size(); ++dim) {
    if (size[dim] >= 0 && stride[dim] >= 0) continue;
    throw Refusal(name + ": got sizes " + toText(size) + " and strides " + toText(stride) +
                  ", expected none below 0");
  }
  if (self.strides() != at::IntArrayRef(contiguousStrides(self.sizes().vec()))) {
    throw Refusal(name +
                  ": got a tensor that is not contiguous, expected a contiguous one, "
                  "because the ranks' parts have other strides");
  }
  const auto& offset = args[sizeArg + 2];
  const auto first = offset.isNone() ? 0 : offset.toInt();
  if (first >= 0 && lastOf(size, stride, first) < self.numel()) return;
  throw Refusal(
      fmt::format("{}: got a view beyond the {} elements of the tensor, expected one of "
                  "these: ranks have no others",
                  name, self.numel()));
}

// Throws Refusal for an offset into a view, whose own offset in memory is unknown here.
void checkBase(const std::string& name, const at::Tensor& part, const c10::IValue& offset) {
  if (offset.isNone() || part.storage_offset() == 0) return;
  throw Refusal(name +
                ": storage_offset: got one of a view, expected none, or a tensor that is no "
                "view");
}

LocalResult itself(const LocalCall& call) {
  const bool copies = call.op.schema().name() == "aten::as_strided_copy";
  return collected(call, [&](std::size_t i) {
    const auto& part = call.local(0, i);
    return torch::jit::Stack{copies ? part.clone() : at::alias(part)};
  });
}

template <std::size_t kSize>
LocalResult strided(const LocalCall& call) {
  if (kSize == 1 && isItself(call.args)) return itself(call);
  const auto name = call.op.schema().name();
  return collected(call, [&](std::size_t i) {
    const auto& part = call.local(0, i);
    checkBase(name, part, call.args[kSize + 2]);
    auto stack = call.arguments(i);
    stack[0] = part.contiguous();
    return call.runPlain(i, std::move(stack));
  });
}

void checkView(Args args, const std::vector<at::Tensor>&) {
  if (!isItself(args)) check("aten.as_strided", args, 1);
}
void checkStridedScatter(Args args, const std::vector<at::Tensor>&) {
  check("aten.as_strided_scatter", args, 2);
}

}  // namespace

std::vector<NamedKernel> asStridedKernels() {
  return {{"aten.as_strided", {.check = checkView, .run = strided<1>}},
          {"aten.as_strided_copy", {.check = checkView, .run = strided<1>}},
          {"aten.as_strided_scatter", {.check = checkStridedScatter, .run = strided<2>}}};
}

}  // namespace shardlens
