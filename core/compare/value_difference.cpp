#include "core/compare/value_difference.h"

#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace shardlens {
namespace {

using Number = std::complex<double>;

bool isNan(Number number) { return std::isnan(number.real()) || std::isnan(number.imag()); }

bool areClose(const Tolerance& tolerance, Number left, Number right) {
  return left == right || (isNan(left) && isNan(right)) ||
         std::abs(left - right) <= tolerance.absolute + tolerance.relative * std::abs(right);
}

// The largest difference found so far.
struct Worst {
  double distance = -1;  // -1: no difference, 0: of statistics
  ValueDifference found = {};
};

// Replaces `worst` if an element differs by more.
void compareElements(const TensorAt& tensor, const Tolerance& tolerance, const ValueRecord& value,
                     const Content& left, const Content& right, Worst& worst) {
  const DType dtype = tensor.journal->tensor(tensor.tensor).dtype;
  const auto count = static_cast<std::int64_t>(left->size()) / dtypeSize(dtype);
  std::int64_t at = -1;
  for (std::int64_t element = 0; element < count; ++element) {
    const Number ours = complexAt(dtype, left->data(), element);
    const Number theirs = complexAt(dtype, right->data(), element);
    if (areClose(tolerance, ours, theirs)) continue;
    const double apart = std::abs(ours - theirs);
    const double distance = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    if (distance <= worst.distance) continue;
    worst.distance = distance;
    at = element;
  }
  if (at < 0) return;
  const Shape index = globalIndexOf(*tensor.journal, tensor.tensor, value.rank, value.shape, at);
  worst.found = {value.rank, fmt::format("rank {} at {}: {} and {}", value.rank, toText(index),
                                         elementText(dtype, left->data(), at),
                                         elementText(dtype, right->data(), at))};
}

// Sets `worst` to the first statistic that differs, if no difference was found before.
void compareStatistics(const Tolerance& tolerance, int rank, const Statistics& left,
                       const Statistics& right, Worst& worst) {
  const auto differ = [&](const char* what, double ours, double theirs) {
    if (worst.distance >= 0 || areClose(tolerance, ours, theirs)) return;
    worst = {0, {rank, fmt::format("rank {}: {} {:.8g} and {:.8g}", rank, what, ours, theirs)}};
  };
  differ("nans", static_cast<double>(left.nans), static_cast<double>(right.nans));
  differ("min", left.min, right.min);
  differ("max", left.max, right.max);
  differ("mean", left.mean, right.mean);
}

}  // namespace

std::optional<ValueDifference> valueDifference(const TensorAt& left, const TensorAt& right,
                                               const std::vector<int>& ranks,
                                               const std::optional<Tolerance>& tolerance) {
  const DType dtype = left.journal->tensor(left.tensor).dtype;
  const Tolerance within = tolerance.value_or(toleranceOf(dtype));
  Worst worst;
  for (const int rank : ranks) {
    const auto ours = left.journal->value(left.tensor, rank, left.position);
    const auto theirs = right.journal->value(right.tensor, rank, right.position);
    if (!ours || !theirs) continue;
    if (ours->shape != theirs->shape) {
      return ValueDifference{rank, fmt::format("rank {}: {} and {}", rank, toText(ours->shape),
                                               toText(theirs->shape))};
    }
    const auto data = left.journal->elements(*ours);
    const auto other = right.journal->elements(*theirs);
    if (data == nullptr || other == nullptr || data->size() != other->size()) {
      compareStatistics(within, rank, ours->statistics, theirs->statistics, worst);
    } else if (*data != *other) {
      compareElements(left, within, *ours, data, other, worst);
    }
  }
  return worst.distance < 0 ? std::nullopt : std::optional(worst.found);
}

}  // namespace shardlens
