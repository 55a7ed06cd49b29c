#include "core/session/check/comparison.h"

#include "core/base/text.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
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

// The largest difference in one rank's part, in units of its bound.
struct Difference {
  double ratio = 0;          // distance / bound; infinite if no distance is allowed
  std::int64_t element = 0;  // row-major index in the part
  std::string largest = {};
  std::string relative = {};
  std::string bound = {};
  std::string got = {};
  std::string expected = {};
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

at::Tensor widened(const at::Tensor& tensor) {
  return tensor.to(tensor.is_complex() ? at::kComplexDouble : at::kDouble);
}

// Returns nullopt if all elements are equal.
std::optional<Difference> largestDifference(const at::Tensor& got, const at::Tensor& expected,
                                            const at::Tensor& bound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto a = widened(got), b = widened(expected);
  const auto areBothNan = a.isnan().logical_and_(b.isnan());
  const auto differing = got.ne(expected).logical_and_(areBothNan.logical_not());
  if (!differing.any().item<bool>()) return std::nullopt;
  const auto distance = a.sub(b).abs();
  // Integers above 2^53 may be equal in float64. A bound of 0 or a number that is not finite gives
  // infinity, and a boundless difference 0.
  const auto ratio = at::nan_to_num(distance.div(bound), kInfinity, kInfinity)
                         .masked_fill_(bound.eq(0), kInfinity)
                         .masked_fill_(bound.isinf(), 0);
  Difference found;
  found.element = at::where(differing, ratio, -1).argmax().item<std::int64_t>();
  const auto at = [&](const at::Tensor& of) {
    return of.reshape({-1})[found.element].item<double>();
  };
  found.ratio = at(ratio);
  found.largest = differenceFigure(at(distance));
  found.relative = differenceFigure(at(distance) / at(b.abs()));
  found.bound = differenceFigure(at(bound));
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

Comparison compare(const at::Tensor& sharded, const at::Tensor& plain, const at::Tensor& bound) {
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
    const Piece piece(block);
    const auto found =
        largestDifference(parts[i], takePiece(whole, piece), takePiece(bound, piece));
    if (!found || (!comparison.difference.largest.empty() && found->ratio <= worst.ratio)) continue;
    worst = *found;
    comparison = {.agrees = found->ratio <= 1,
                  .difference = {.largest = found->largest,
                                 .relative = found->relative,
                                 .bound = found->bound,
                                 .at = placeOf(found->element, block),
                                 .rank = ranks[i],
                                 .got = found->got,
                                 .expected = found->expected}};
  }
  return comparison;
}

}  // namespace shardlens
