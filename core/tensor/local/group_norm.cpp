#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// The sizes that the caller passes and libtorch's kernels do not check.
struct Sizes {
  std::int64_t images, channels, places, groups;
};

Sizes sizesOf(Args args) {
  return {args[0].toInt(), args[1].toInt(), args[2].toInt(), args[3].toInt()};
}

void checkImages(const std::string& name, const at::Tensor& x, const Sizes& sizes) {
  const auto& [images, channels, places, groups] = sizes;
  const bool fits = x.dim() >= 2 && x.size(0) == images && x.size(1) == channels &&
                    x.numel() == images * channels * places;
  if (fits && groups > 0 && channels % groups == 0) return;
  throw Refusal(
      fmt::format("{}: got shape {}, N {}, C {}, HxW {} and {} groups, expected sizes of "
                  "that shape, and as many channels in each group",
                  name, toText(x.sizes().vec()), images, channels, places, groups));
}

void checkChannels(const std::string& name, const c10::IValue& given, const at::Tensor& x) {
  if (given.isNone() || !given.toTensor().defined()) return;
  expectShape(name, given.toTensor(), {x.size(1)});
  if (given.toTensor().scalar_type() != at::kFloat) {
    expectDType(name, given.toTensor(), x.scalar_type());
  }
}

// input, weight, bias, N, C, HxW, group, eps
void checkGroupNorm(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.native_group_norm";
  checkImages(name, inputs[0], sizesOf(args.slice(3)));
  checkChannels(name + ": weight", args[1], inputs[0]);
  checkChannels(name + ": bias", args[2], inputs[0]);
}

// grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask
void checkGroupNormBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.native_group_norm_backward";
  const auto sizes = sizesOf(args.slice(5));
  checkImages(name, inputs[1], sizes);
  expectShape(name + ": grad_out", inputs[0], inputs[1].sizes());
  expectDType(name + ": grad_out", inputs[0], inputs[1].scalar_type());
  for (const std::size_t i : {2, 3}) {
    expectShape(name, inputs[i], {sizes.images, sizes.groups});
  }
  checkChannels(name + ": weight", args[4], inputs[1]);
}

// Runs the plain operator with the rank's own numbers of images, channels and groups.
LocalResult ownSizes(const LocalCall& call, std::size_t x, std::size_t images) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    const auto& own = call.local(x, i);
    const auto channels = stack[images + 1].toInt(), groups = stack[images + 3].toInt();
    stack[images] = own.size(0);
    stack[images + 1] = own.size(1);
    if (channels > 0) stack[images + 3] = groups * own.size(1) / channels;
    return call.runPlain(i, std::move(stack));
  });
}

LocalResult groupNorm(const LocalCall& call) { return ownSizes(call, 0, 3); }
LocalResult groupNormBackward(const LocalCall& call) { return ownSizes(call, 1, 5); }

}  // namespace

std::vector<NamedKernel> groupNormKernels() {
  return {{"aten.native_group_norm", {.check = checkGroupNorm, .run = groupNorm}},
          {"aten.native_group_norm_backward",
           {.check = checkGroupNormBackward, .run = groupNormBackward}}};
}

}  // namespace shardlens
