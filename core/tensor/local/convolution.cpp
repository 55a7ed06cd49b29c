#include "core/tensor/dtensor.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/halo.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Returns a meta tensor with a batch of 0, for which libtorch checks arguments and shapes and
// computes nothing.
at::Tensor withoutImages(const at::Tensor& x) {
  auto shape = x.sizes().vec();
  if (!shape.empty()) shape.front() = 0;
  return at::empty(shape, x.options().device(at::kMeta));
}
at::Tensor withoutData(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(), tensor.options().device(at::kMeta));
}

std::optional<at::Tensor> biasOf(const c10::IValue& given) {
  if (given.isNone() || !given.toTensor().defined()) return std::nullopt;
  return given.toTensor();
}

// Returns an empty output for the arguments stride, padding, dilation, transposed, output_padding
// and groups; throws as libtorch does.
at::Tensor imagesOf(const at::Tensor& x, const at::Tensor& weight,
                    const std::optional<at::Tensor>& bias, Args how) {
  return at::convolution(withoutImages(x), withoutData(weight), bias, how[0].toIntVector(),
                         how[1].toIntVector(), how[2].toIntVector(), how[3].toBool(),
                         how[4].toIntVector(), how[5].toInt());
}

// input, weight, bias, then the six arguments of imagesOf()
void checkConvolution(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.convolution";
  for (const auto& input : inputs) expectDType(name, input, inputs[0].scalar_type());
  auto bias = biasOf(args[2]);
  if (bias) bias = withoutData(*bias);
  imagesOf(inputs[0], inputs[1], bias, args.slice(3));
}

// grad_output, input, weight, bias_sizes, the six arguments of imagesOf(), output_mask
void checkConvolutionBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.convolution_backward";
  for (const auto& input : inputs) expectDType(name, input, inputs[1].scalar_type());
  auto shape = imagesOf(inputs[1], inputs[2], {}, args.slice(4, 6)).sizes().vec();
  shape[0] = inputs[1].size(0);
  expectShape(name + ": grad_output", inputs[0], shape);
}

// Returns the number of groups of a rank, if channels are sharded by whole groups.
std::int64_t ownGroups(const LocalCall& call, std::size_t input, std::size_t i, std::int64_t all) {
  return all > 1 ? all * call.local(input, i).size(1) / call.inputs[input].size(1) : all;
}

// Returns the bias in a shape that broadcasts to the images.
at::Tensor overChannels(const at::Tensor& images, const at::Tensor& bias) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(images.dim()), 1);
  shape[1] = -1;
  return bias.view(shape);
}

at::Tensor sumOfChannels(const at::Tensor& images) {
  return images.transpose(0, 1).flatten(1).sum(1);
}

// Returns true if all these tensors have elements and data, so that the kernel can run.
bool isSomething(const torch::jit::Stack& stack, std::initializer_list<std::size_t> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](std::size_t at) {
    const auto& tensor = stack[at].toTensor();
    return tensor.numel() > 0 && !tensor.is_meta();
  });
}

Buffers localsOf(const LocalCall& call, std::size_t input) {
  Buffers parts;
  for (std::size_t i = 0; i < call.hosted(); ++i) parts.push_back(call.local(input, i));
  return parts;
}

// Sets padding to 0 along the dimensions of halos, which contain it already. The list has one
// number per spatial dimension, or one for all.
void dropAlongHalos(c10::IValue& list, const LocalCall& call) {
  if (call.plan.strategy.halos.empty()) return;
  auto each = list.toIntVector();
  each.resize(static_cast<std::size_t>(call.inputs[0].dim()) - 2, each.front());
  for (const auto& halo : call.plan.strategy.halos) {
    each[static_cast<std::size_t>(halo.tensorDim) - 2] = 0;
  }
  list = each;
}

// Returns the shape of a part with its halos.
Shape withHalos(const std::vector<Halo>& halos, Shape part, at::IntArrayRef windows) {
  for (const auto& halo : halos) {
    const auto dim = static_cast<std::size_t>(halo.tensorDim);
    part[dim] = lengthUnder(halo.windows, windows[dim]);
  }
  return part;
}

LocalResult convolution(const LocalCall& call) {
  constexpr std::size_t kBias = 2, kPadding = 4, kTransposed = 6, kMore = 7, kGroups = 8;
  const auto& halos = call.plan.strategy.halos;
  const bool transposed = call.args[kTransposed].toBool();
  // Partial sums sent to neighbours must not contain the bias; it is added last.
  const bool addsBias = transposed && !halos.empty();
  Buffers images = localsOf(call, 0), biases;
  if (!transposed) images = withHalos(call.runtime, halos, std::move(images));
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    const auto& x = images[i];
    const auto bias = biasOf(stack[kBias]);
    stack[0] = x;
    stack[kGroups] = ownGroups(call, 0, i, stack[kGroups].toInt());
    for (const auto at : {kPadding, kMore}) dropAlongHalos(stack[at], call);
    if (addsBias) stack[kBias] = c10::IValue();
    const bool runs = isSomething(stack, {0, 1});
    biases.push_back(bias && (addsBias || !runs) ? *bias : at::Tensor());
    if (runs) {
      call.op.callBoxed(&stack);
      images[i] = stack[0].toTensor();
      continue;
    }
    Shape shape = call.plan.outputs[0]->localShapes[i];
    if (transposed) shape = withHalos(halos, std::move(shape), x.sizes());
    images[i] = at::zeros(shape, x.options());
  }
  if (transposed) images = withoutHalos(call.runtime, halos, std::move(images));
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (biases[i].defined()) images[i].add_(overChannels(images[i], biases[i]));
  }
  return {{std::move(images)}};
}

LocalResult convolutionBackward(const LocalCall& call) {
  constexpr std::size_t kBiasSizes = 3, kPadding = 5, kTransposed = 7, kMore = 8, kGroups = 9,
                        kWanted = 10;
  const auto& halos = call.plan.strategy.halos;
  const bool transposed = call.args[kTransposed].toBool();
  const auto wanted = call.args[kWanted].toBoolList();
  const bool wantsX = wanted.get(0), wantsWeight = wanted.get(1), wantsBias = wanted.get(2);
  Buffers dy = localsOf(call, 0), x = localsOf(call, 1), dw, db;
  for (std::size_t i = 0; wantsBias && i < dy.size(); ++i) db.push_back(sumOfChannels(dy[i]));
  if (transposed) {
    if (wantsX || wantsWeight) dy = withHalos(call.runtime, halos, std::move(dy));
  } else if (wantsWeight) {
    x = withHalos(call.runtime, halos, std::move(x));
  } else if (!halos.empty()) {  // only its shape is read
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = at::empty(withHalos(halos, x[i].sizes().vec(), dy[i].sizes()), x[i].options());
    }
  }
  for (std::size_t i = 0; i < x.size() && (wantsX || wantsWeight); ++i) {
    auto stack = call.arguments(i);
    stack[0] = dy[i];
    stack[1] = x[i];
    stack[kBiasSizes] = c10::IValue();
    stack[kGroups] = ownGroups(call, 1, i, stack[kGroups].toInt());
    stack[kWanted] = c10::List<bool>({wantsX, wantsWeight, false});
    for (const auto at : {kPadding, kMore}) dropAlongHalos(stack[at], call);
    const auto& weight = call.local(2, i);
    if (isSomething(stack, {0, 1, 2})) {
      call.op.callBoxed(&stack);
      x[i] = stack[0].toTensor();
      dw.push_back(stack[1].toTensor());
    } else {
      x[i] = at::zeros(x[i].sizes(), x[i].options());
      dw.push_back(at::zeros(weight.sizes(), weight.options()));
    }
  }
  if (!transposed && wantsX) x = withoutHalos(call.runtime, halos, std::move(x));
  LocalResult result;
  if (wantsX) result.outputs.push_back(std::move(x));
  if (wantsWeight) result.outputs.push_back(std::move(dw));
  if (wantsBias) result.outputs.push_back(std::move(db));
  return result;
}

}  // namespace

std::vector<NamedKernel> convolutionKernels() {
  return {{"aten.convolution", {.check = checkConvolution, .run = convolution, .runsDry = true}},
          {"aten.convolution_backward",
           {.check = checkConvolutionBackward, .run = convolutionBackward, .runsDry = true}}};
}

}  // namespace shardlens
