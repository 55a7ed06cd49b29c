// Note [Numbers are drawn for the whole]
// Every process draws the numbers of the whole tensor once, from its generator. Each rank takes the
// numbers of its elements. Results therefore equal those of a plain tensor under any
// placements. No two shards have the same numbers, replicas agree, and generators with equal states
// stay equal. Numbers are drawn on the CPU on every backend, because a GPU's generator draws other
// numbers; ranks on GPUs copy theirs. A CUDA generator is refused.
//
// Note [Numbers are drawn in blocks]
// libtorch's CPU operators draw in row-major order, element by element (normal_: sixteen at a
// time). The whole tensor is therefore drawn block by block, so that a process can initialise a
// table that does not fit in its memory. MKL's operators (bernoulli_, exponential_) draw one seed
// for all numbers: the whole is drawn at once.

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/values/ivalues.h"
#include "core/tensor/values/partials.h"
#include "core/tensor/values/pieces.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>

namespace shardlens {
namespace {

// Draws the numbers of a plain tensor with this shape and these strides.
using Draw = std::function<at::Tensor(at::IntArrayRef shape, at::IntArrayRef strides)>;
enum class Drawing { InBlocks, AtOnce };

const Spec& resultSpec(const LocalCall& call) { return call.plan.outputs.front()->spec; }

bool isRowMajor(const TensorMeta& meta) {
  return meta.strides == contiguousStrides(meta.shape) || elementCount(meta.shape) <= 1;
}

// Calls visit(block, first element, count) for the fewest blocks that cover a row-major range of
// elements.
template <class Visit>
void forEachBlock(const Shape& shape, std::int64_t begin, std::int64_t end, Visit visit) {
  while (begin < end) {
    Block block(shape.size());
    std::int64_t elements = 1;
    std::size_t dim = shape.size();
    for (; dim > 0; --dim) {
      const std::int64_t more = elements * shape[dim - 1];
      if (begin % more != 0 || begin + more > end) break;
      block[dim - 1] = {{0, shape[dim - 1]}};
      elements = more;
    }
    std::int64_t index = begin / elements;
    if (dim > 0) {
      const std::int64_t first = index % shape[dim - 1];
      const std::int64_t count = std::min((end - begin) / elements, shape[dim - 1] - first);
      block[dim - 1] = {{first, count}};
      elements *= count;
      index /= shape[dim - 1];
    }
    for (std::size_t outer = dim; outer-- > 1;) {
      block[outer - 1] = {{index % shape[outer - 1], 1}};
      index /= shape[outer - 1];
    }
    visit(block, begin, elements);
    begin += elements;
  }
}

// Copies the hosted ranks' shares of the whole tensor's numbers into their locals.
class Parts {
 public:
  Parts(const LocalCall& call, const Buffers& into)
      : spec_(resultSpec(call)), ranks_(call.runtime.comm().hosted()), into_(into) {
    for (const int rank : ranks_) {
      owned_.push_back(ownedRuns(spec_.meta.shape, *spec_.mesh, spec_.placements, rank));
    }
  }

  void putAll(const at::Tensor& whole) const {
    for (std::size_t i = 0; i < into_.size(); ++i) {
      into_[i].copy_(held(takePiece(whole, Piece(owned_[i])), i));
    }
  }
  // Copies numbers that begin at element `first` in row-major order.
  void putFrom(std::int64_t first, const at::Tensor& numbers) const {
    const auto put = [&](const Block& block, std::int64_t begin, std::int64_t elements) {
      const auto values = numbers.narrow(0, begin - first, elements).view(Piece(block).shape);
      for (std::size_t i = 0; i < into_.size(); ++i) putBlock(block, values, i);
    };
    forEachBlock(spec_.meta.shape, first, first + numbers.numel(), put);
  }

 private:
  void putBlock(const Block& block, const at::Tensor& values, std::size_t i) const {
    Block from, to;
    for (std::size_t dim = 0; dim < block.size(); ++dim) {
      const Runs common = commonRuns(owned_[i][dim], block[dim]);
      if (common.empty()) return;
      from.push_back(runsWithin(common, block[dim]));
      to.push_back(runsWithin(common, owned_[i][dim]));
    }
    const Piece place(std::move(to));
    const auto part = placeFor(into_[i], place);
    part.copy_(held(takePiece(values, Piece(std::move(from))), i));
    putPiece(into_[i], place, part);
  }
  at::Tensor held(at::Tensor part, std::size_t i) const {
    return heldOf(std::move(part), *spec_.mesh, spec_.placements, ranks_[i]);
  }

  const Spec& spec_;
  const std::vector<int>& ranks_;
  const Buffers& into_;
  std::vector<Block> owned_;
};

// The last block may be longer than the others, because normal_ treats the last sixteen numbers
// specially and needs sixteen.
void drawInto(const LocalCall& call, const Buffers& into, Drawing drawing, const Draw& draw) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 20;
  const TensorMeta& meta = resultSpec(call).meta;
  const Parts parts(call, into);
  if (drawing == Drawing::AtOnce || !isRowMajor(meta)) {
    return parts.putAll(draw(meta.shape, meta.strides));
  }
  const std::int64_t all = elementCount(meta.shape);
  std::int64_t begin = 0;
  do {
    const std::int64_t left = all - begin;
    const std::int64_t count = left < 2 * kBlock ? left : kBlock;
    parts.putFrom(begin, draw({count}, {1}));
    begin += count;
  } while (begin < all);
}

// Runs the plain operator on a plain CPU tensor instead of the sharded one, whose elements it does
// not read. Ignores a requested device, because emptyParts() allocates on the ranks' device.
Draw plainly(const LocalCall& call) {
  return [&call](at::IntArrayRef shape, at::IntArrayRef strides) {
    torch::jit::Stack stack;
    for (const auto& arg : call.args) {
      stack.push_back(arg.isDevice() ? c10::IValue()
                                     : mapTensors(arg, [&](const at::Tensor& tensor) {
                                         return at::empty_strided(shape, strides, tensor.dtype());
                                       }));
    }
    call.op.callBoxed(&stack);
    return stack.front().toTensor();
  };
}

// A memory format requires the tensor's number of dimensions, so blocks are not possible.
bool hasMemoryFormat(const LocalCall& call) {
  const auto& formal = call.op.schema().arguments();
  for (std::size_t i = 0; i < formal.size(); ++i) {
    if (formal[i].name() == "memory_format" && !call.args[i].isNone()) return true;
  }
  return false;
}

Drawing drawingOf(const LocalCall& call, Drawing drawing) {
  return hasMemoryFormat(call) ? Drawing::AtOnce : drawing;
}

// Returns uninitialised locals of the result, each on its rank's device.
Buffers emptyParts(const LocalCall& call, at::ScalarType type) {
  auto& comm = call.runtime.comm();
  const auto& shapes = call.plan.outputs.front()->localShapes;
  Buffers parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto device = comm.device(comm.hosted()[i]);
    parts.push_back(at::empty(shapes[i], at::TensorOptions(type).device(device)));
  }
  return parts;
}

template <Drawing drawing>
LocalResult drawnInto(const LocalCall& call) {
  Buffers into;
  for (std::size_t i = 0; i < call.hosted(); ++i) into.push_back(call.local(0, i));
  drawInto(call, into, drawingOf(call, drawing), plainly(call));
  return {};
}

template <Drawing drawing>
LocalResult drawn(const LocalCall& call) {
  LocalResult result{{emptyParts(call, scalarType(resultSpec(call).meta.dtype))}};
  drawInto(call, result.outputs.front(), drawingOf(call, drawing), plainly(call));
  return result;
}

// Throws Refusal on all ranks unless `holds` is true for all elements of all ranks' parts.
void refuseUnless(const LocalCall& call, std::size_t input,
                  const std::function<at::Tensor(const at::Tensor&)>& holds, const char* why) {
  std::string wrong;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    if (!holds(call.local(input, i)).all().item<bool>()) wrong = why;
  }
  refuseTogether(call.runtime.comm(), wrong);
}

// out[i] = u[i] < p[i], with uniform numbers u drawn as by the plain operator.
LocalResult bernoulliOf(const LocalCall& call, std::size_t probabilities) {
  refuseUnless(
      call, probabilities, [](const at::Tensor& p) { return p.ge(0).bitwise_and(p.le(1)); },
      "aten.bernoulli: got a probability outside of [0, 1]");
  const bool isDouble = call.inputs[probabilities].scalar_type() == at::kDouble;
  const auto type = isDouble ? at::kDouble : at::kFloat;
  const auto generator = call.args[call.args.size() - 1].toOptional<at::Generator>();
  LocalResult result{{emptyParts(call, type)}};
  auto& parts = result.outputs.front();
  drawInto(call, parts, Drawing::InBlocks, [&](at::IntArrayRef shape, at::IntArrayRef strides) {
    return at::empty_strided(shape, strides, at::TensorOptions(type)).uniform_(0, 1, generator);
  });
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = parts[i].lt(call.local(probabilities, i));
  return result;
}

LocalResult bernoulli(const LocalCall& call) {
  auto result = bernoulliOf(call, 0);
  for (auto& part : result.outputs.front()) part = part.to(call.inputs[0].scalar_type());
  return result;
}

LocalResult bernoulliInto(const LocalCall& call) {
  const auto result = bernoulliOf(call, 1);
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    call.local(0, i).copy_(result.outputs.front()[i]);
  }
  return {};
}

// out[i] = mean[i] + std[i] n[i], with normal numbers n; mean or std may be a number.
LocalResult normal(const LocalCall& call) {
  const auto &mean = call.args[0], &deviation = call.args[1];
  const std::size_t atDeviation = mean.isTensor() ? 1 : 0;
  if (deviation.isTensor()) {
    refuseUnless(
        call, atDeviation, [](const at::Tensor& each) { return each.ge(0); },
        "aten.normal: got a deviation below 0");
  }
  const double scale = deviation.isTensor() ? 1 : deviation.toDouble();
  const auto generator = call.args[2].toOptional<at::Generator>();
  const auto type = scalarType(resultSpec(call).meta.dtype);
  LocalResult result{{emptyParts(call, type)}};
  auto& parts = result.outputs.front();
  drawInto(call, parts, drawingOf(call, Drawing::InBlocks),
           [&](at::IntArrayRef shape, at::IntArrayRef strides) {
             return at::empty_strided(shape, strides, type).normal_(0, scale, generator);
           });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (deviation.isTensor()) parts[i].mul_(call.local(atDeviation, i));
    parts[i].add_(mean.isTensor() ? call.local(0, i) : at::scalar_tensor(mean.toDouble()));
  }
  return result;
}

// Each process draws once, and its ranks get copies. A process that hosts no rank has no weights:
// it draws with equal ones, because how many numbers are drawn depends on the shape only.
LocalResult multinomial(const LocalCall& call) {
  torch::jit::Stack stack(call.args.begin(), call.args.end());
  stack[0] = call.hosted() > 0 ? call.local(0, 0).cpu()
                               : at::ones(call.plan.schema.input(0).shape,
                                          scalarType(call.plan.schema.input(0).dtype));
  call.op.callBoxed(&stack);
  const auto drawn = stack.front().toTensor();
  return collected(call, [&](std::size_t i) {
    return torch::jit::Stack{drawn.to(call.local(0, i).device(), drawn.scalar_type(),
                                      /*non_blocking=*/false, /*copy=*/true)};
  });
}

LocalResult nativeDropout(const LocalCall& call) {
  const auto& x = call.inputs[0];
  const bool trains = call.args[2].isNone() || call.args[2].toBool();
  if (!trains) return runPlain(call);
  if (x.numel() == 0) {  // the kernel of a GPU gives another dtype
    const auto type = scalarType(call.plan.schema.outputs[1].dtype);
    return {{emptyParts(call, x.scalar_type()), emptyParts(call, type)}};
  }
  const double kept = 1 - call.args[1].toDouble();
  LocalResult result{{Buffers(), emptyParts(call, at::kBool)}};
  drawInto(call, result.outputs[1], Drawing::AtOnce, [&](at::IntArrayRef shape, at::IntArrayRef) {
    return at::empty(shape, at::kBool).bernoulli_(kept);
  });
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto scaled = call.local(0, i).mul(result.outputs[1][i]).mul_(kept == 0 ? 0 : 1 / kept);
    result.outputs[0].push_back(scaled);
  }
  return result;
}

// Any operator that may have a generator among its arguments.
void checkGenerator(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  for (const auto& arg : args) {
    if (!arg.isGenerator() || arg.toGenerator().device().is_cpu()) continue;
    throw Refusal("generator: got one of the device " + arg.toGenerator().device().str() +
                  ", expected one of the CPU: numbers are drawn there on every backend, so that "
                  "all backends draw the same");
  }
}

// self, noise, lower, upper, training: draws one number per element that is not above 0, in
// sequence, which no rank can do for its part alone.
void checkNoise(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  if (!args[4].toBool()) return;
  throw Refusal("aten.rrelu_with_noise: got training, expected not: what it draws depends on data");
}

void refuseNoiseInPlace(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>&) {
  throw Refusal("aten.rrelu_with_noise_: got an operator in place, expected rrelu_with_noise");
}

}  // namespace

std::vector<NamedKernel> randomKernels() {
  std::vector<NamedKernel> kernels;
  constexpr auto kInBlocks = Drawing::InBlocks, kAtOnce = Drawing::AtOnce;
  for (const auto name :
       {"aten.cauchy_", "aten.geometric_", "aten.log_normal_", "aten.normal_", "aten.random_",
        "aten.random_.from", "aten.random_.to", "aten.uniform_"}) {
    kernels.push_back({name, {.check = checkGenerator, .run = drawnInto<kInBlocks>}});
  }
  for (const auto name : {"aten.bernoulli_.float", "aten.exponential_"}) {
    kernels.push_back({name, {.check = checkGenerator, .run = drawnInto<kAtOnce>}});
  }
  for (const auto name :
       {"aten.rand_like", "aten.rand_like.generator", "aten.randint_like",
        "aten.randint_like.generator", "aten.randint_like.low_dtype",
        "aten.randint_like.low_generator_dtype", "aten.randn_like", "aten.randn_like.generator"}) {
    kernels.push_back({name, {.check = checkGenerator, .run = drawn<kInBlocks>}});
  }
  kernels.push_back({"aten.bernoulli.p", {.check = checkGenerator, .run = drawn<kAtOnce>}});
  kernels.push_back({"aten.bernoulli", {.check = checkGenerator, .run = bernoulli}});
  kernels.push_back({"aten.bernoulli_.Tensor", {.check = checkGenerator, .run = bernoulliInto}});
  for (const auto name :
       {"aten.normal.Tensor_Tensor", "aten.normal.Tensor_float", "aten.normal.float_Tensor"}) {
    kernels.push_back({name, {.check = checkGenerator, .run = normal}});
  }
  kernels.push_back({"aten.multinomial", {.check = checkGenerator, .run = multinomial}});
  kernels.push_back({"aten.native_dropout", {.run = nativeDropout}});
  kernels.push_back({"aten.rrelu_with_noise", {.check = checkNoise}});
  kernels.push_back({"aten.rrelu_with_noise_", {.check = refuseNoiseInPlace}});
  return kernels;
}

}  // namespace shardlens
