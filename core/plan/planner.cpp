#include "core/plan/planner.h"

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

// Whether the mesh dimensions left of this one cut the tensor dimension in the same way in both.
bool sameOuterShards(const Placements& a, const Placements& b, std::size_t meshDim, int tensorDim) {
  for (std::size_t i = 0; i < meshDim; ++i) {
    const bool cuts = shardedDim(a[i]) == tensorDim || shardedDim(b[i]) == tensorDim;
    if (cuts && a[i] != b[i]) return false;
  }
  return true;
}

// Two ways of cutting one tensor dimension have no collective between them.
bool recuts(const Placement& from, const Placement& to) {
  return shardedDim(from).has_value() && shardedDim(from) == shardedDim(to);
}

bool isBitwise(std::optional<ReduceOp> op) {
  return op == ReduceOp::Band || op == ReduceOp::Bor || op == ReduceOp::Bxor;
}

Result<void> verifyStep(const Placement& from, const Placement& to, DType dtype) {
  if (isPartial(from) && isPartial(to)) {
    if (isMaskPartial(from) && to == Placement(Partial{partialOp(from).value()})) return {};
    return fail("Redistribution from one partial type (" + toText(from) + ") to another (" +
                toText(to) + ") is unsupported.");
  }
  // Collectives reduce by an operation; a factor or a root around it is still to come.
  if (std::holds_alternative<NormPartial>(from) || partialOp(from) == ReduceOp::PremulSum) {
    return fail("redistribute from " + toText(from) + " to " + toText(to) + " not supported yet");
  }
  if (partialOp(from) == ReduceOp::Avg && dtype == DType::Bool) {
    return fail("redistribute from P(avg) to " + toText(to) + ": got bool, expected numbers");
  }
  if (isBitwise(partialOp(from)) && isFloating(dtype)) {
    return fail("redistribute from " + toText(from) + " to " + toText(to) + ": got " +
                std::string(dtypeName(dtype)) + ", expected whole numbers or bool");
  }
  if (shardedDim(from) && isPartial(to) && to != Placement(Partial{ReduceOp::Sum})) {
    return fail("Can not redistribute from " + toText(from) + " to " + toText(to) +
                ", only Shard to Partial(sum) redistribution is supported!");
  }
  // A mask is made of ids, by what the ranks own.
  const bool made = takesWhole(to) || isMaskPartial(to);
  if (isReplicate(from) && isPartial(to) && !made) {
    return fail("Replicate to " + toText(to) + " conversion is not supported.");
  }
  return {};
}

Move moveOf(const Placement& from, const Placement& to) {
  const bool toShard = shardedDim(to).has_value();
  if (shardedDim(from)) {
    return toShard ? Move::AllToAll : isPartial(to) ? Move::Pad : Move::AllGather;
  }
  if (isReplicate(from)) return toShard ? Move::Cut : Move::Terms;
  if (isPartial(to)) return Move::Relabel;
  return toShard ? Move::ReduceScatter : Move::AllReduce;
}

class GreedyPlanner {
 public:
  GreedyPlanner(const Spec& current, const Placements& target)
      : dtype_(current.meta.dtype), state_(current.placements), target_(target) {}

  Result<Plan> plan() {
    // Without a shard there is nothing to undo first, and reducing into shards from the outside in
    // leaves less to reduce further in.
    const bool sharded = std::any_of(state_.begin(), state_.end(),
                                     [](const auto& p) { return shardedDim(p).has_value(); });
    for (std::size_t dim = sharded ? state_.size() : 0; dim-- > 0;) {
      const auto tensorDim = shardedDim(target_[dim]);
      const bool aligned = !tensorDim || sameOuterShards(state_, target_, dim, *tensorDim);
      change(dim, aligned ? target_[dim] : Placement(Replicate{}));
    }
    for (std::size_t dim = 0; dim < state_.size(); ++dim) change(dim, target_[dim]);
    for (const auto& step : plan_) {
      const auto dim = static_cast<std::size_t>(step.meshDims.front());
      if (auto verified = verifyStep(step.from[dim], step.to[dim], dtype_); !verified) {
        return tl::unexpected(verified.error());
      }
    }
    return plan_;
  }

 private:
  void change(std::size_t dim, const Placement& to) {
    if (state_[dim] == to) return;
    if (recuts(state_[dim], to)) change(dim, Replicate{});
    TransformInfo step{{static_cast<int>(dim)}, moveOf(state_[dim], to), state_, state_};
    step.to[dim] = to;
    state_ = step.to;
    plan_.push_back(std::move(step));
  }

  DType dtype_;
  Placements state_;
  const Placements& target_;
  Plan plan_;
};

std::string joined(const Placements& placements) {
  std::string text;
  for (const auto& p : placements) text += toText(p);
  return text;
}

}  // namespace

std::string_view moveName(Move move) {
  constexpr std::array<std::string_view, 8> kNames = {
      "relabel", "cut", "pad", "terms", "all_gather", "all_reduce", "reduce_scatter", "all_to_all"};
  return kNames[static_cast<std::size_t>(move)];
}

std::string_view plannerName(PlannerKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"min-cost", "greedy", "decompose"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<PlannerKind> parsePlanner(std::string_view name) {
  for (const auto kind : {PlannerKind::MinCost, PlannerKind::Greedy, PlannerKind::Decompose}) {
    if (name == plannerName(kind)) return kind;
  }
  return std::nullopt;
}

Result<Plan> makePlan(PlannerKind, const CostModel&, const Spec& current,
                      const Placements& target) {
  return planGreedy(current, target);
}

Result<Plan> planGreedy(const Spec& current, const Placements& target) {
  return GreedyPlanner(current, target).plan();
}

std::string toText(const Placements& start, const Plan& plan) {
  std::string text = joined(start);
  for (const auto& step : plan) text += " -> " + joined(step.to);
  return text;
}

}  // namespace shardlens
