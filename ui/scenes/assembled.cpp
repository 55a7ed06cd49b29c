#include "ui/scenes/assembled.h"

#include "core/model/spec.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace shardlens {
namespace {

// The reduction of a tensor's partial values. All partial placements of a tensor have one kind.
struct Reduction {
  DType dtype = DType::Float32;
  ReduceOp op = ReduceOp::Sum;
  double factor = 1;
  double norm = 0;
  int partials = 1;

  double first(double term) const {
    if (norm > 0) {
      return std::pow(std::abs(term), norm);
    }
    return op == ReduceOp::PremulSum ? held(term * factor) : term;
  }
  double add(double sum, double term) const {
    if (std::isnan(sum) || std::isnan(term)) {
      return std::nan("");
    }
    switch (op) {
      case ReduceOp::Min:
        return std::min(sum, term);
      case ReduceOp::Max:
        return std::max(sum, term);
      case ReduceOp::Product:
        return held(sum * term);
      default:
        return held(sum + first(term));
    }
  }
  double done(double sum) const {
    if (norm > 0) {
      return rounded(dtype, std::pow(sum, 1 / norm));
    }
    if (op == ReduceOp::Avg) {
      return rounded(dtype, isWhole(dtype) ? std::trunc(sum / partials) : sum / partials);
    }
    return sum;
  }

 private:
  // Averages of small dtypes are summed in a larger type.
  double held(double value) const {
    const bool small = dtype != DType::Float64 && dtype != DType::Float32;
    return op != ReduceOp::Avg || !small ? rounded(dtype, value)
           : isFloating(dtype)           ? rounded(DType::Float32, value)
                                         : value;
  }
};

Reduction reductionOf(const TensorView& view) {
  Reduction reduction;
  reduction.dtype = view.record->dtype;
  for (std::size_t dim = 0; dim < view.record->placements.size(); ++dim) {
    const Placement& placement = view.record->placements[dim];
    if (isPartial(placement)) {
      reduction.partials *= view.mesh->size(static_cast<int>(dim));
      reduction.op = partialOp(placement).value_or(ReduceOp::Sum);
    }
    if (const auto* norm = std::get_if<NormPartial>(&placement)) {
      reduction.norm = norm->norm;
    }
    if (const auto* partial = std::get_if<Partial>(&placement)) {
      reduction.factor = partial->factor;
    }
  }
  return reduction;
}

// Rounds to `digits` significant bits, with subnormal numbers below 2^smallestExponent. Returns
// infinity beyond `largest`.
double nearest(double value, int digits, int smallestExponent, double largest) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const int exponent = std::max(std::ilogb(value), smallestExponent);
  const double step = std::ldexp(1.0, exponent - digits + 1);
  const double result = std::nearbyint(value / step) * step;
  return std::abs(result) > largest ? std::copysign(HUGE_VAL, value) : result;
}

// Wraps an integer around to `bytes` bytes.
double wrapped(double value, int bytes, bool isSigned) {
  const double range = std::ldexp(1.0, 8 * bytes);
  const double rest = value - std::floor(value / range) * range;
  return isSigned && rest >= range / 2 ? rest - range : rest;
}

// Visits the elements of a part in order, with the row-major index of each in the whole tensor.
class GlobalPlaces {
 public:
  GlobalPlaces(const RankPart& part, const Shape& whole) : at_(part.local.size(), 0) {
    std::int64_t stride = 1;
    places_.resize(part.local.size());
    for (std::size_t dim = part.local.size(); dim-- > 0;) {
      for (std::int64_t i = 0; i < part.local[dim]; ++i) {
        places_[dim].push_back(globalIndex(part.runs[dim], i) * stride);
      }
      stride *= whole[dim];
    }
  }

  std::int64_t place() const {
    std::int64_t sum = 0;
    for (std::size_t dim = 0; dim < at_.size(); ++dim) {
      sum += places_[dim][at_[dim]];
    }
    return sum;
  }
  void advance() {
    for (std::size_t dim = at_.size(); dim-- > 0;) {
      if (++at_[dim] < places_[dim].size()) {
        return;
      }
      at_[dim] = 0;
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> places_;  // by dim and local index, times the stride
  std::vector<std::size_t> at_;
};

Gap gapOf(const TensorView& view, const std::vector<std::vector<int>>& copies) {
  if (elementCount(view.record->shape) == 0) {
    return Gap::NoElements;
  }
  if (view.localIds) {
    return Gap::LocalIds;
  }
  const auto& placements = view.record->placements;
  if (isComplex(view.record->dtype) &&
      std::any_of(placements.begin(), placements.end(), isPartial)) {
    return Gap::ComplexTerms;
  }
  if (view.ranksLeft > 0) {
    return Gap::ManyRanks;
  }
  Gap gap = copies.empty() || !view.mesh ? Gap::UnknownCut : Gap::None;
  for (const auto& ranks : copies) {
    const RankPart& part = view.shown(ranks);
    if (!part.hasData() && elementCount(part.local) != 0) {
      return part.where == RankLocation::OtherProcess ? Gap::Elsewhere : Gap::NotCaptured;
    }
    gap = part.runs.size() == part.local.size() ? gap : Gap::UnknownCut;
  }
  return gap;
}

bool isEqual(const Statistics& one, const Statistics& other) {
  const auto isSame = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return isSame(one.min, other.min) && isSame(one.max, other.max) && isSame(one.mean, other.mean) &&
         one.nans == other.nans && one.zeros == other.zeros;
}

// Compares two copies of a shard by their elements; if these were not captured, by their hashes or
// statistics. Requires values.
bool isEqual(const RankPart& one, const RankPart& other) {
  if (one.local != other.local) {
    return false;
  }
  const ValueRecord &a = *one.value, &b = *other.value;
  if (one.hasData() && other.hasData()) {
    return *a.data == *b.data;
  }
  const bool haveHashes = a.level == CaptureLevel::Hashes && b.level == CaptureLevel::Hashes;
  return haveHashes ? a.hash == b.hash : isEqual(a.statistics, b.statistics);
}

}  // namespace

double rounded(DType dtype, double value) {
  switch (dtype) {
    case DType::Float16:
      return nearest(value, 11, -14, 65504);
    case DType::BFloat16:
      return nearest(value, 8, -126, 3.3895313892515355e38);
    case DType::Float32:
      return static_cast<double>(static_cast<float>(value));
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
      return wrapped(value, dtypeSize(dtype), /*isSigned=*/true);
    case DType::UInt8:
      return wrapped(value, 1, /*isSigned=*/false);
    default:
      return value;
  }
}

bool differsAt(const TensorView& view, const RankPart& part, const RankPart& from,
               std::int64_t flat) {
  const auto size = static_cast<std::size_t>(dtypeSize(view.record->dtype));
  const auto at = static_cast<std::size_t>(flat) * size;
  return std::memcmp(part.value->data->data() + at, from.value->data->data() + at, size) != 0;
}

std::vector<std::vector<int>> alike(const TensorView& view, const std::vector<int>& ranks) {
  std::vector<std::vector<int>> groups;
  std::vector<int> unknown;
  for (const int rank : ranks) {
    const RankPart* part = view.part(rank);
    if (part->value == nullptr) {
      unknown.push_back(rank);
      continue;
    }
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return isEqual(*view.part(group.front()), *part);
    });
    if (same == groups.end()) {
      groups.push_back({rank});
    } else {
      same->push_back(rank);
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  if (groups.empty()) {
    return {unknown};
  }
  groups.front().insert(groups.front().end(), unknown.begin(), unknown.end());
  std::sort(groups.front().begin(), groups.front().end());
  return groups;
}

std::optional<Difference> differenceOf(const TensorView& view, const RankPart& part,
                                       const RankPart& from) {
  if (!part.hasData() || !from.hasData() || part.local != from.local) {
    return std::nullopt;
  }
  Difference difference;
  for (std::int64_t flat = elementCount(part.local); flat-- > 0;) {
    if (differsAt(view, part, from, flat)) {
      difference.flat = flat;
      ++difference.count;
    }
  }
  return difference.count == 0 ? std::nullopt : std::optional(difference);
}

std::string termOperator(const Placement& placement) {
  if (std::holds_alternative<NormPartial>(placement)) {
    return "norm";
  }
  const auto op = partialOp(placement);
  if (!op) {
    return {};
  }
  const bool sum = *op == ReduceOp::Sum || *op == ReduceOp::PremulSum;
  return sum ? "+" : *op == ReduceOp::Product ? "\u00d7" : std::string(reduceOpName(*op));
}

Assembled assemble(const Journal& journal, const Snapshot& snapshot, const TensorView& view) {
  Assembled result;
  if (view.record == nullptr) {
    return result;
  }
  result.shape = view.record->shape;
  std::vector<std::vector<int>> holders;  // for each shard the ranks with its most frequent copy
  for (const auto& ranks : view.copies()) {
    auto groups = alike(view, ranks);
    result.copiesAgree = result.copiesAgree && groups.size() == 1;
    holders.push_back(std::move(groups.front()));
  }
  result.gap = gapOf(view, holders);
  result.isLarge = result.gap == Gap::None && elementCount(result.shape) > kMostAssembled;
  if (result.gap != Gap::None || result.isLarge) {
    return result;
  }
  const auto count = static_cast<std::size_t>(elementCount(result.shape));
  const Reduction reduction = reductionOf(view);
  std::vector<char> filled(count, 0);
  result.values.assign(count, 0.0);
  result.tableRows.assign(view.origin || view.fetches ? count : 0, -1);
  for (const auto& ranks : holders) {
    const RankPart& part = view.shown(ranks);
    const PartLookup lookup(journal, snapshot, view, part);
    const auto elements = elementCount(part.local);
    GlobalPlaces places(part, result.shape);
    for (std::int64_t flat = 0; flat < elements; ++flat, places.advance()) {
      if (part.masked(flat)) {
        continue;
      }
      const std::int64_t global = places.place();
      if (global < 0 || global >= static_cast<std::int64_t>(count)) {
        continue;
      }
      const auto place = static_cast<std::size_t>(global);
      const double term = part.element(view.record->dtype, flat);
      double& sum = result.values[place];
      sum = filled[place] != 0 ? reduction.add(sum, term) : reduction.first(term);
      filled[place] = 1;
      if (!result.tableRows.empty()) {
        const auto row = view.origin ? lookup.tableRow(flat) : lookup.fetchedRow(flat);
        result.tableRows[place] = std::max(result.tableRows[place], row);
      }
    }
  }
  result.missing = std::count(filled.begin(), filled.end(), 0);
  for (double& value : result.values) {
    value = reduction.done(value);
    result.nans += std::isnan(value) ? 1 : 0;
    result.infinities += std::isinf(value) ? 1 : 0;
  }
  return result;
}

WholeElements::WholeElements(const TensorView& view) : view_(view) {
  std::vector<std::vector<int>> holders;
  for (const auto& ranks : view.copies()) {
    holders.push_back(alike(view, ranks).front());
  }
  gap_ = gapOf(view, holders);
  for (const auto& ranks : holders) {
    pieces_.push_back(&view.shown(ranks));
  }
}

std::optional<double> WholeElements::at(const Shape& index) const {
  const Reduction reduction = reductionOf(view_);
  std::optional<double> sum;
  for (const RankPart* part : pieces_) {
    const auto flat = part->flatOf(index);
    if (!flat || part->masked(*flat)) {
      continue;
    }
    const double term = part->element(view_.record->dtype, *flat);
    sum = sum ? reduction.add(*sum, term) : reduction.first(term);
  }
  return sum ? std::optional(reduction.done(*sum)) : std::nullopt;
}

}  // namespace shardlens
