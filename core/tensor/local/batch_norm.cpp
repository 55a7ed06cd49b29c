#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <algorithm>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;

// A call's arguments, or a rank's, by name, because their positions differ between operators. Does
// not own the arguments.
class Named {
 public:
  Named(const LocalCall& call, at::ArrayRef<c10::IValue> args)
      : schema_(call.op.schema()), args_(args) {}

  const c10::IValue* find(std::string_view name) const {
    const auto at = schema_.argumentIndexWithName(name);
    return at ? &args_[static_cast<std::size_t>(*at)] : nullptr;
  }
  at::Tensor tensor(std::string_view name) const {  // undefined where there is none
    const auto* given = find(name);
    return given == nullptr || given->isNone() ? at::Tensor() : given->toTensor();
  }
  double number(std::string_view name) const { return find(name)->toDouble(); }

 private:
  const c10::FunctionSchema& schema_;
  at::ArrayRef<c10::IValue> args_;
};

bool trains(const LocalCall& call) {
  const Named whole(call, call.args);
  for (const auto name : {"training", "train", "update"}) {
    if (const auto* given = whole.find(name)) return given->toBool();
  }
  return true;
}

// The input of a batch norm. In training, statistics are combined over the ranks that shard it.
class Images {
 public:
  Images(const LocalCall& call, std::size_t x) : call_(call) {
    const auto& placements = call.plan.strategy.inputs[x];
    for (std::size_t dim = 0; dim < placements.size(); ++dim) {
      const auto cut = shardedDim(placements[dim]);
      if (trains(call) && cut && *cut != 1) cutBy_.push_back(static_cast<int>(dim));
    }
    const auto& shape = call.plan.schema.input(x).shape;
    count_ = static_cast<double>(elementCount(shape)) / static_cast<double>(shape[1]);
  }

  bool areApart() const { return !cutBy_.empty(); }
  double count() const { return count_; }  // elements per channel, on all ranks

  // Returns the sum of each channel, over all other dimensions.
  static at::Tensor sum(const at::Tensor& values) {
    return values.transpose(0, 1).flatten(1).sum(1);
  }
  // Returns one number per channel in a shape that broadcasts to the images.
  static at::Tensor over(const at::Tensor& images, const at::Tensor& channels) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(images.dim()), 1);
    shape[1] = -1;
    return channels.view(shape);
  }
  void addUp(const Buffers& sums) const {
    if (cutBy_.empty()) return;
    call_.runtime.comm().allReduce(call_.runtime.groups(cutBy_).set(), sums, sums, {ReduceOp::Sum});
  }

 private:
  const LocalCall& call_;
  std::vector<int> cutBy_;
  double count_ = 0;
};

// Returns true if the plain operator can run: with data, and without ranks to combine.
bool runsPlain(const LocalCall& call, const Images& images) {
  const bool isDry = call.hosted() > 0 && call.local(0, 0).is_meta();
  return !isDry && !images.areApart();
}

at::ScalarType resultType(const LocalCall& call, std::size_t output) {
  return scalarType(call.plan.outputs[output]->spec.meta.dtype);
}

at::Tensor scaled(const at::Tensor& images, const Named& args) {
  auto y = images;
  if (const auto weight = args.tensor("weight"); weight.defined()) {
    y = y * Images::over(y, weight);
  }
  if (const auto bias = args.tensor("bias"); bias.defined()) y = y + Images::over(y, bias);
  return y;
}

void updateRunning(const Named& args, const at::Tensor& mean, const at::Tensor& variance) {
  const double momentum = args.number("momentum");
  for (const auto& [name, now] : {std::pair{"running_mean", mean}, {"running_var", variance}}) {
    const auto running = args.tensor(name);
    if (running.defined()) running.mul_(1 - momentum).add_(now, momentum);
  }
}

// Computes the mean first, then the squared deviations from it, in two reductions. This is more
// accurate than one pass of sums and squares.
LocalResult batchNorm(const LocalCall& call) {
  const Images images(call, 0);
  if (runsPlain(call, images)) return runPlain(call);
  std::vector<Stack> stacks;
  Buffers parts, means, squares;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    stacks.push_back(call.arguments(i));
    const auto& x = call.local(0, i);
    parts.push_back(x.to(at::toOpMathType(x.scalar_type())));
    means.push_back(Images::sum(parts[i]).contiguous());
  }
  images.addUp(means);
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    means[i].div_(images.count());
    parts[i] = parts[i] - Images::over(parts[i], means[i]);
    squares.push_back(Images::sum(parts[i].square()).contiguous());
  }
  images.addUp(squares);
  LocalResult result;
  result.outputs.resize(call.plan.outputs.size());
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const Named args(call, stacks[i]);
    const auto deviation = squares[i].div(images.count()).add(args.number("eps")).rsqrt();
    if (images.areApart()) updateRunning(args, means[i], squares[i].div(images.count() - 1));
    const auto y = scaled(parts[i] * Images::over(parts[i], deviation), args);
    const at::Tensor results[] = {y.contiguous(), means[i], deviation, at::Tensor()};
    for (std::size_t k = 0; k < result.outputs.size(); ++k) {
      const bool isEmpty = call.plan.schema.outputs[k].shape == Shape{0};
      const auto type = resultType(call, k);
      result.outputs[k].push_back(isEmpty ? at::empty({0}, y.options().dtype(type))
                                          : results[k].to(type));
    }
  }
  return result;
}

// dx = (dy - sum(dy) / n - (x - mean) rstd^2 sum(dy (x - mean)) / n) rstd w
LocalResult batchNormBackward(const LocalCall& call) {
  const Images images(call, 1);
  if (runsPlain(call, images)) return runPlain(call);
  std::vector<Stack> stacks;
  Buffers gradients, parts, sums;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    stacks.push_back(call.arguments(i));
    const auto mean = Named(call, stacks[i]).tensor("save_mean");
    const auto type = at::toOpMathType(call.local(1, i).scalar_type());
    gradients.push_back(call.local(0, i).to(type));
    parts.push_back(call.local(1, i).to(type) - Images::over(call.local(1, i), mean));
    sums.push_back(at::stack({Images::sum(gradients[i]), Images::sum(gradients[i] * parts[i])}));
  }
  images.addUp(sums);
  return collected(call, [&](std::size_t i) {
    const Named args(call, stacks[i]);
    const auto invstd = args.tensor("save_invstd");
    const auto deviation = invstd.defined() ? invstd : args.tensor("save_var");
    const auto slope = sums[i][1] * deviation.square() / images.count();
    auto dx = gradients[i] - Images::over(parts[i], sums[i][0] / images.count()) -
              parts[i] * Images::over(parts[i], slope);
    dx = dx * Images::over(dx, deviation);
    const auto weight = args.tensor("weight");
    if (weight.defined()) dx = dx * Images::over(dx, weight);
    const auto parameterType = (weight.defined() ? weight : call.local(1, i)).scalar_type();
    Stack all{dx.to(call.local(1, i).scalar_type()).contiguous(),
              (sums[i][1] * deviation).to(parameterType), sums[i][0].to(parameterType)};
    const auto wanted = args.find("output_mask")->toBoolList();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!wanted.get(k)) all[k] = at::Tensor();
    }
    return all;
  });
}

// Checked here because no meta function of libtorch checks this.
void expectChannels(const std::string& name, const at::Tensor& x, const at::Tensor& each) {
  expectShape(name, each, {x.size(1)});
  if (each.scalar_type() != at::kFloat) expectDType(name, each, x.scalar_type());
}

void expectImages(const std::string& name, const at::Tensor& x) {
  if (x.dim() < 2 || x.numel() == 0 || !at::isFloatingType(x.scalar_type())) {
    throw Refusal(name + ": got " + c10::toString(x.scalar_type()) + toText(x.sizes().vec()) +
                  ", expected images of channels of fractions");
  }
}

// Running statistics are written in place. A plain tensor would be written by every rank.
void expectWritable(const std::string& name, const at::Tensor& mean, const at::Tensor& variance) {
  if (!isDTensor(mean) || !isDTensor(variance)) {
    throw Refusal(name + ": got plain running statistics, expected sharded ones");
  }
  const auto &at = specOf(mean).placements, &other = specOf(variance).placements;
  if (at == other && std::none_of(at.begin(), at.end(), isPartial)) return;
  throw Refusal(name + ": got running_mean under " + toText(at) + " and running_var under " +
                toText(other) +
                ", expected equal placements without partial values, because both are written");
}

// input, weight, bias, running_mean, running_var, training (if the operator has it), and more. All
// tensors but the input have one number per channel.
void checkBatchNorm(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "batch_norm";
  expectImages(name, inputs[0]);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    expectChannels(name, inputs[0], inputs[i]);
    expectDType(name, inputs[i], inputs[1].scalar_type());
  }
  const bool trains = !args[5].isBool() || args[5].toBool();
  if (!trains || !holdsTensor(args[3]) || !holdsTensor(args[4])) return;
  expectWritable(name, args[3].toTensor(), args[4].toTensor());
}

// The gradient, the input, and tensors with one number per channel, which may be empty.
void checkBatchNormBackward(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  const std::string name = "batch_norm_backward";
  expectImages(name, inputs[1]);
  expectShape(name + ": grad_out", inputs[0], inputs[1].sizes());
  expectDType(name + ": grad_out", inputs[0], inputs[1].scalar_type());
  for (std::size_t i = 2; i < inputs.size(); ++i) {
    if (inputs[i].numel() > 0) expectChannels(name, inputs[1], inputs[i]);
  }
}

}  // namespace

std::vector<NamedKernel> batchNormKernels() {
  const LocalKernel forward{.check = checkBatchNorm, .run = batchNorm, .runsDry = true};
  const LocalKernel backward{
      .check = checkBatchNormBackward, .run = batchNormBackward, .runsDry = true};
  return {{"aten._batch_norm_with_update", forward},
          {"aten._native_batch_norm_legit", forward},
          {"aten._native_batch_norm_legit.no_stats", forward},
          {"aten.batch_norm_backward", backward},
          {"aten.native_batch_norm", forward},
          {"aten.native_batch_norm_backward", backward}};
}

}  // namespace shardlens
