#include "ui/scenes/assembled.h"

#include "core/model/spec.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

// How the terms of one tensor become its value. Partial placements of one kind only meet.
struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  double factor = 1;
  double norm = 0;
  int terms = 1;

  double add(double sum, double term) const {
    switch (op) {
      case ReduceOp::Min:
        return std::min(sum, term);
      case ReduceOp::Max:
        return std::max(sum, term);
      case ReduceOp::Product:
        return sum * term;
      default:
        return sum + (norm > 0 ? std::pow(std::abs(term), norm) : term);
    }
  }
  double first(double term) const { return norm > 0 ? std::pow(std::abs(term), norm) : term; }
  double done(double sum) const {
    if (norm > 0) {
      return std::pow(sum, 1 / norm);
    }
    return op == ReduceOp::Avg ? sum / terms : op == ReduceOp::PremulSum ? sum * factor : sum;
  }
};

Reduction reductionOf(const TensorView& view) {
  Reduction reduction;
  for (std::size_t dim = 0; dim < view.record->placements.size(); ++dim) {
    const Placement& placement = view.record->placements[dim];
    if (isPartial(placement)) {
      reduction.terms *= view.mesh->size(static_cast<int>(dim));
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

}  // namespace

// Comparing bytes also tells -0 from 0, which no reduction here makes.
bool copiesAgree(const TensorView& view, const std::vector<int>& ranks) {
  const RankPart& first = view.shown(ranks);
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    const RankPart* part = view.part(rank);
    return !first.hasData() || !part->hasData() || *first.value->data == *part->value->data;
  });
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
  const std::int64_t count = elementCount(result.shape);
  const auto copies = view.copies();
  const bool known = std::all_of(copies.begin(), copies.end(), [&](const auto& ranks) {
    const RankPart& part = view.shown(ranks);
    return (part.hasData() || elementCount(part.local) == 0) &&
           part.runs.size() == part.local.size();
  });
  if (!known || copies.empty() || !view.mesh || count == 0 || count > kMostAssembled) {
    return result;
  }
  const Reduction reduction = reductionOf(view);
  std::vector<char> filled(static_cast<std::size_t>(count), 0);
  result.values.assign(filled.size(), 0.0);
  result.tableRows.assign(view.origin ? filled.size() : 0, -1);
  for (const auto& ranks : copies) {
    result.copiesAgree = result.copiesAgree && copiesAgree(view, ranks);
    const RankPart& part = view.shown(ranks);
    const auto elements = elementCount(part.local);
    for (std::int64_t flat = 0; flat < elements; ++flat) {
      if (part.masked(flat)) {
        continue;
      }
      const Shape at = coordinates(part.local, flat);
      std::int64_t global = 0;
      for (std::size_t dim = 0; dim < at.size(); ++dim) {
        global = global * result.shape[dim] + globalIndex(part.runs[dim], at[dim]);
      }
      if (global < 0 || global >= count) {
        continue;
      }
      const auto place = static_cast<std::size_t>(global);
      const double term = elementAt(view.record->dtype, part.value->data->data(), flat);
      double& sum = result.values[place];
      sum = filled[place] != 0 ? reduction.add(sum, term) : reduction.first(term);
      filled[place] = 1;
      if (view.origin) {
        const auto row = tableRow(journal, snapshot, view, part, flat);
        result.tableRows[place] = std::max(result.tableRows[place], row);
      }
    }
  }
  result.missing = std::count(filled.begin(), filled.end(), 0);
  std::transform(result.values.begin(), result.values.end(), result.values.begin(),
                 [&](double sum) { return reduction.done(sum); });
  return result;
}

}  // namespace shardlens
