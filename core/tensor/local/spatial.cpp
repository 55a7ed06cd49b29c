#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Checks that indices are inside a plane, because not all of libtorch's kernels do. Collective.
LocalResult placed(const LocalCall& call, std::size_t indices, int planeDims) {
  const Shape& shape = call.plan.outputs.front()->spec.meta.shape;
  std::int64_t places = 1;
  for (int dim = 0; dim < planeDims; ++dim) places *= shape[shape.size() - 1 - dim];
  std::string wrong;
  for (std::size_t i = 0; i < call.hosted() && wrong.empty(); ++i) {
    const auto& own = call.local(indices, i);
    const auto bad = own.masked_select(own.lt(0).logical_or(own.ge(places)));
    if (bad.numel() == 0) continue;
    wrong = fmt::format("{}: got index {}, expected one of the {} places of a plane",
                        call.plan.schema.name, bad.min().item<std::int64_t>(), places);
  }
  refuseTogether(call.runtime.comm(), wrong);
  return runPlain(call);
}

template <int planeDims>
LocalResult unpool(const LocalCall& call) {
  return placed(call, 1, planeDims);
}

template <int planeDims>
LocalResult poolBackward(const LocalCall& call) {
  return placed(call, 2, planeDims);
}

void expectIndices(const std::string& name, const at::Tensor& indices, at::IntArrayRef shape) {
  expectDType(name + ": indices", indices, at::kLong);
  expectShape(name + ": indices", indices, shape);
}

void checkUnpool(Args, const std::vector<at::Tensor>& inputs) {
  expectIndices("max_unpool", inputs[1], inputs[0].sizes());
}

// grad_output, self, indices
void checkPoolBackward(Args, const std::vector<at::Tensor>& inputs) {
  expectIndices("max_pool_backward", inputs[2], inputs[0].sizes());
}

// Checked here because no meta function of libtorch checks this.
template <int planeDims>
void checkGrid(const std::string& name, const at::Tensor& x, const at::Tensor& grid, Args how) {
  expectDims(name + ": input", x, planeDims + 2);
  expectDims(name + ": grid", grid, planeDims + 2);
  expectDType(name + ": grid", grid, x.scalar_type());
  auto shape = grid.sizes().vec();
  shape.front() = x.size(0);
  shape.back() = planeDims;
  expectShape(name + ": grid", grid, shape);
  const auto interpolation = how[0].toInt(), padding = how[1].toInt();
  if (interpolation < 0 || interpolation > (planeDims == 2 ? 2 : 1) || padding < 0 || padding > 2) {
    throw Refusal(
        fmt::format("{}: got interpolation_mode {} and padding_mode {}, which there are "
                    "not",
                    name, interpolation, padding));
  }
  for (std::int64_t dim = 2; dim < x.dim(); ++dim) {
    if (x.size(dim) > 0) continue;
    throw Refusal(name + ": input: got shape " + toText(x.sizes().vec()) + ", expected a place");
  }
}

// input, grid, interpolation_mode, padding_mode, align_corners
template <int planeDims>
void checkGridSampler(Args args, const std::vector<at::Tensor>& inputs) {
  checkGrid<planeDims>(fmt::format("aten.grid_sampler_{}d", planeDims), inputs[0], inputs[1],
                       args.slice(2));
}

// grad_output, then as checkGridSampler()
template <int planeDims>
void checkGridSamplerBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const auto name = fmt::format("aten.grid_sampler_{}d_backward", planeDims);
  checkGrid<planeDims>(name, inputs[1], inputs[2], args.slice(3));
  auto shape = inputs[1].sizes().vec();
  for (std::size_t dim = 2; dim < shape.size(); ++dim) {
    shape[dim] = inputs[2].size(static_cast<std::int64_t>(dim) - 1);
  }
  expectShape(name + ": grad_output", inputs[0], shape);
  expectDType(name + ": grad_output", inputs[0], inputs[1].scalar_type());
}

// libtorch's kernels read two amounts per dimension of a plane: before and after.
template <int planeDims, std::size_t kPadding>
void checkPadding(Args args, const std::vector<at::Tensor>&) {
  const auto amounts = args[kPadding].toIntVector().size();
  if (amounts == 2 * planeDims) return;
  throw Refusal(fmt::format("padding: got {} amounts, expected {}", amounts, 2 * planeDims));
}

template <int planeDims>
void addPadding(std::vector<NamedKernel>& kernels, std::initializer_list<const char*> forward,
                std::initializer_list<const char*> backward) {
  for (const auto* name : forward) kernels.push_back({name, {.check = checkPadding<planeDims, 1>}});
  for (const auto* name : backward) {
    kernels.push_back({name, {.check = checkPadding<planeDims, 2>}});
  }
}

}  // namespace

std::vector<NamedKernel> spatialKernels() {
  const auto backward = [](auto run) {
    return LocalKernel{.check = checkPoolBackward, .run = run};
  };
  std::vector<NamedKernel> kernels{
      {"aten.adaptive_max_pool2d_backward", backward(poolBackward<2>)},
      {"aten.adaptive_max_pool3d_backward", backward(poolBackward<3>)},
      {"aten.grid_sampler_2d", {.check = checkGridSampler<2>}},
      {"aten.grid_sampler_2d_backward", {.check = checkGridSamplerBackward<2>}},
      {"aten.grid_sampler_3d", {.check = checkGridSampler<3>}},
      {"aten.grid_sampler_3d_backward", {.check = checkGridSamplerBackward<3>}},
      {"aten.max_pool2d_with_indices_backward", backward(poolBackward<2>)},
      {"aten.max_pool3d_with_indices_backward", backward(poolBackward<3>)},
      {"aten.max_unpool2d", {.check = checkUnpool, .run = unpool<2>}},
      {"aten.max_unpool3d", {.check = checkUnpool, .run = unpool<3>}}};
  addPadding<1>(kernels, {"aten.reflection_pad1d", "aten.replication_pad1d"},
                {"aten.reflection_pad1d_backward", "aten.replication_pad1d_backward"});
  addPadding<2>(kernels, {"aten.reflection_pad2d", "aten.replication_pad2d"},
                {"aten.reflection_pad2d_backward", "aten.replication_pad2d_backward"});
  addPadding<3>(kernels, {"aten.reflection_pad3d", "aten.replication_pad3d"},
                {"aten.reflection_pad3d_backward", "aten.replication_pad3d_backward"});
  return kernels;
}

}  // namespace shardlens
