#include "core/session/check/rounding_bounds.h"

#include "core/session/attempt.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace shardlens {
namespace {

// A bound is so many times the largest change in a copy.
constexpr double kMargin = 4;

struct Rounding {
  double unit;      // largest relative error of one rounding
  double smallest;  // smallest positive number
};

template <class Float>
Rounding roundingOf() {
  using Limits = std::numeric_limits<Float>;
  return {static_cast<double>(Limits::epsilon()) / 2, static_cast<double>(Limits::denorm_min())};
}

Rounding roundingOf(at::ScalarType type) {
  switch (at::toRealValueType(type)) {
    case at::kHalf:
      return roundingOf<c10::Half>();
    case at::kBFloat16:
      return roundingOf<c10::BFloat16>();
    case at::kFloat8_e4m3fn:
      return roundingOf<c10::Float8_e4m3fn>();
    case at::kFloat8_e5m2:
      return roundingOf<c10::Float8_e5m2>();
    case at::kDouble:
      return roundingOf<double>();
    default:
      return roundingOf<float>();
  }
}

bool hasFractions(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type());
}

at::ScalarType widened(at::ScalarType type) {
  return at::isComplexType(type) ? at::kComplexDouble : at::kDouble;
}

// Returns the relative change of a result whose elements are sums of up to `addends` products.
// Sums of 16-bit numbers are accumulated in float32. The error of a sum of many numbers grows as
// the square root of their number. Kernels sum blocks, so that it is a fraction of that.
double relativeChange(at::ScalarType type, std::int64_t addends) {
  constexpr std::int64_t kMostAddends = 4096;  // kernels divide longer sums
  constexpr double kBlocked = 0.25;
  const double unit = roundingOf(type).unit, sum = std::min(unit, roundingOf<float>().unit);
  const auto count = static_cast<double>(std::min(addends, kMostAddends));
  return unit + kBlocked * sum * std::sqrt(count);
}

// Returns normal random numbers of this shape, equal within each of `blocks` blocks per dim. With
// 0, all differ.
at::Tensor randomNumbers(at::IntArrayRef shape, std::int64_t blocks, at::Generator& generator) {
  if (blocks == 0) return at::randn(shape, generator, at::kDouble);
  auto few = shape.vec();
  for (auto& length : few) length = std::min(length, blocks);
  auto numbers = at::randn(few, generator, at::kDouble);
  for (std::size_t dim = 0; dim < few.size(); ++dim) {
    const auto places =
        at::arange(shape[dim]).mul_(few[dim]).floor_divide_(std::max<std::int64_t>(shape[dim], 1));
    numbers = numbers.index_select(static_cast<std::int64_t>(dim), places);
  }
  return numbers;
}

void setState(const at::Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

// Returns the changes of an element, or infinity if only one of the two numbers is finite.
at::Tensor changes(const at::Tensor& copy, const at::Tensor& plain) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!hasFractions(plain)) {
    return at::zeros(plain.sizes(), at::kDouble).masked_fill_(copy.ne(plain), kInfinity);
  }
  const auto wide = widened(plain.scalar_type());
  const auto change = copy.to(wide).sub(plain.to(wide)).abs();
  const auto isFinite = copy.isfinite();
  return change.masked_fill_(isFinite.logical_not(), kInfinity)
      .masked_fill_(isFinite.eq(plain.isfinite()).logical_and_(isFinite.logical_not()), 0);
}

}  // namespace

RoundingBounds::RoundingBounds() {
  for (const std::int64_t blocks : {0, 0, 0, 0, 2, 4, 8, 16}) {
    const auto seed = static_cast<std::uint64_t>(copies_.size() + 1);
    copies_.push_back({.blocks = blocks, .generator = at::detail::createCPUGenerator(seed)});
  }
}

void RoundingBounds::run(const ScenarioStep& step, const Values& sharded,
                         const at::Tensor& drawnFrom) {
  for (Copy& copy : copies_) {
    if (!copy.isUsable) continue;
    setState(drawnFrom);
    const auto ran = attempt(Data::Made, [&] {
      PlainTensors tensors(sharded);
      for (auto& [name, tensor] : namedResults(step, runCall(tensors, copy.values, step))) {
        change(copy, tensor);
        copy.values[name] = std::move(tensor);
      }
    });
    copy.isUsable = ran.has_value();
  }
}

void RoundingBounds::adopt(const std::string& name, const at::Tensor& plain) {
  for (Copy& copy : copies_) {
    const auto result = plain.detach().clone();
    change(copy, result);
    copy.values[name] = result.requires_grad_(plain.requires_grad());
  }
}

at::Tensor RoundingBounds::of(const std::string& name, const at::Tensor& plain) const {
  const at::NoGradGuard guard;
  auto bound = at::zeros(plain.sizes(), at::kDouble);
  bool isMeasured = false;
  for (const Copy& copy : copies_) {
    const auto found = copy.values.find(name);
    if (!copy.isUsable || found == copy.values.end()) continue;
    if (found->second.sizes() != plain.sizes()) continue;
    bound = at::maximum(bound, changes(found->second, plain));
    isMeasured = true;
  }
  if (!isMeasured || !hasFractions(plain) || plain.numel() == 0) return bound;
  // By chance, an element can change little in all copies. A row does not.
  constexpr double kOfRow = 0.5;
  if (bound.dim() > 0) {
    const auto finite = at::where(bound.isfinite(), bound, 0);
    bound = at::maximum(bound, finite.mean({-1}, /*keepdim=*/true).mul_(kOfRow));
  }
  const auto [unit, smallest] = roundingOf(plain.scalar_type());
  const auto magnitude = at::nan_to_num(plain.to(widened(plain.scalar_type())).abs(), 0, 0, 0);
  return at::maximum(bound, magnitude.mul_(unit)).mul_(kMargin).add_(kMargin * smallest);
}

// Writes the memory of the tensor past autograd, which must not see the change.
void RoundingBounds::change(Copy& copy, const at::Tensor& tensor) {
  for (const auto length : tensor.sizes()) addends_ = std::max(addends_, length);
  if (!hasFractions(tensor)) return;
  const auto memory = tensor.variable_data();
  const auto type = tensor.scalar_type();
  const auto factor = randomNumbers(tensor.sizes(), copy.blocks, copy.generator)
                          .mul_(relativeChange(type, addends_))
                          .add_(1);
  memory.copy_(memory.to(widened(type)).mul_(factor));
}

}  // namespace shardlens
