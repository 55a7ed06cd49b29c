#include "core/session/check/comparison.h"

#include "core/base/text.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/model/tolerance.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/read_values.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/pieces.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace shardlens {
namespace {

// The largest difference in one rank's part.
struct Difference {
  bool isTolerable = true;
  double distance = 0;
  std::int64_t element = 0;  // row-major index in the part
  std::string relative = {};
  std::string got = {};
  std::string expected = {};

  // NaN counts as infinite.
  double magnitude() const {
    return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
  }
  bool isWorseThan(const Difference& other) const {
    return isTolerable == other.isTolerable ? magnitude() > other.magnitude() : !isTolerable;
  }
};

// Omits the sign of NaN.
std::string figure(double number, int digits) {
  return std::isnan(number) ? "nan" : fmt::format("{:.{}g}", number, digits);
}

std::string elementText(const at::Tensor& tensor, std::int64_t element) {
  constexpr int kDigits = 8;  // as in answers
  const auto value = tensor.reshape({-1})[element].item();
  if (value.isComplex()) {
    const auto number = value.toComplexDouble();
    return complexText(figure(number.real(), kDigits), figure(number.imag(), kDigits));
  }
  if (value.isBoolean()) return value.toBool() ? "true" : "false";
  return value.isIntegral(false) ? std::to_string(value.toLong())
                                 : figure(value.toDouble(), kDigits);
}

std::string differenceFigure(double number) {
  constexpr int kDigits = 3;
  return figure(number, kDigits);
}

// Returns a mask of the differing elements that are out of tolerance.
at::Tensor tooFar(const at::Tensor& differing, const at::Tensor& distance,
                  const at::Tensor& expected, at::ScalarType type) {
  if (at::isIntegralType(type, /*includeBool=*/true)) return differing;
  const auto [relative, absolute] = toleranceOf(dtypeOf(type));
  const auto close = distance.le(expected.abs().mul_(relative).add_(absolute));
  return differing.logical_and(close.logical_and_(distance.isfinite()).logical_not_());
}

// Returns the dtype in which differences are computed.
at::ScalarType widened(at::ScalarType type) {
  if (at::isComplexType(type)) return at::kComplexDouble;
  return at::isFloatingType(type) && type != at::kDouble ? at::kFloat : at::kDouble;
}

// Returns nullopt if all elements are equal.
std::optional<Difference> largestDifference(const at::Tensor& got, const at::Tensor& expected) {
  const auto type = got.scalar_type();
  const auto wide = widened(type);
  const auto a = got.to(wide), b = expected.to(wide);
  const auto bothNone = a.isnan().logical_and_(b.isnan());
  const auto differing = got.ne(expected).logical_and_(bothNone.logical_not());
  if (!differing.any().item<bool>()) return std::nullopt;
  const auto distance = a.sub(b).abs();
  const auto bad = tooFar(differing, distance, b, type);
  const bool isTolerable = !bad.any().item<bool>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto order =
      at::where(isTolerable ? differing : bad, at::nan_to_num(distance, kInfinity, kInfinity), -1);
  Difference found{.isTolerable = isTolerable, .element = order.argmax().item<std::int64_t>()};
  found.distance = distance.reshape({-1})[found.element].item<double>();
  found.relative =
      differenceFigure(found.distance / b.reshape({-1})[found.element].abs().item<double>());
  found.got = elementText(got, found.element);
  found.expected = elementText(expected, found.element);
  return found;
}

// Returns an element's index in the whole tensor, from its row-major index in the part.
Shape placeOf(std::int64_t element, const Block& block) {
  Shape place(block.size());
  for (std::size_t dim = block.size(); dim-- > 0;) {
    const auto length = totalLength(block[dim]);
    place[dim] = globalIndex(block[dim], element % length);
    element /= length;
  }
  return place;
}

// Returns a description of a mismatch in shape or dtype, or "".
std::string otherKind(const TensorMeta& meta, const at::Tensor& plain) {
  const auto shape = plain.sizes().vec();
  if (meta.shape != shape) {
    return fmt::format("got shape {}, expected {}", toText(meta.shape), toText(shape));
  }
  const auto type = dtypeOf(plain.scalar_type());
  if (meta.dtype == type) return {};
  return fmt::format("got {}, expected {}", dtypeName(meta.dtype), dtypeName(type));
}

}  // namespace

Comparison compare(const at::Tensor& sharded, const at::Tensor& plain) {
  const auto& [mesh, placements, meta] = specOf(sharded);
  if (auto why = otherKind(meta, plain); !why.empty()) {
    return {.agrees = false, .difference = {.why = std::move(why)}};
  }
  const at::Tensor whole = plain.detach();
  const Buffers parts = readValues(sharded);
  const auto& ranks = dtensorImpl(sharded).runtime().comm().hosted();
  Difference worst;
  Comparison comparison;
  std::map<const void*, Block> compared;  // memory shared by replicas is compared once
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].numel() == 0) continue;
    const Block block = ownedRuns(meta.shape, *mesh, placements, ranks[i]);
    const auto [known, isNew] = compared.try_emplace(parts[i].const_data_ptr(), block);
    if (!isNew && known->second == block) continue;
    const auto found = largestDifference(parts[i], takePiece(whole, Piece(block)));
    if (!found || (!comparison.difference.largest.empty() && !found->isWorseThan(worst))) continue;
    worst = *found;
    comparison = {.agrees = found->isTolerable,
                  .difference = {.largest = differenceFigure(found->distance),
                                 .relative = found->relative,
                                 .at = placeOf(found->element, block),
                                 .rank = ranks[i],
                                 .got = found->got,
                                 .expected = found->expected}};
  }
  return comparison;
}

}  // namespace shardlens
