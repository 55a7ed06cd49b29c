#include "core/plan/transitions.h"

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

constexpr std::array<std::string_view, kMoveCount> kMoveNames = {
    "relabel",    "slice",          "pad",        "partial",         "all_gather",
    "all_reduce", "reduce_scatter", "all_to_all", "all_gather_rows", "all_to_all_rows"};

bool isBitwise(std::optional<ReduceOp> op) {
  return op == ReduceOp::Band || op == ReduceOp::Bor || op == ReduceOp::Bxor;
}

// c10d rejects these for complex numbers.
bool ordersOrMultiplies(std::optional<ReduceOp> op) {
  return op == ReduceOp::Min || op == ReduceOp::Max || op == ReduceOp::Product;
}

// Factors and norms need floating-point numbers.
bool needsFractions(const Placement& p) {
  return std::holds_alternative<NormPartial>(p) || partialOp(p) == ReduceOp::PremulSum;
}

int splitFactor(const Placement& p) {
  const auto* strided = std::get_if<StridedShard>(&p);
  return strided != nullptr ? strided->splitFactor : 1;
}

bool canBeMadeOfWhole(const Placement& partial) {
  // A mask can be computed from whole ids and the rows that each rank owns.
  return takesWhole(partial) || isMaskPartial(partial);
}

Result<void> verifyStep(const Placement& from, const Placement& to, DType dtype) {
  const auto refuseType = [&](std::string_view expected) {
    return fail("redistribute from " + toText(from) + " to " + toText(to) +
                " not supported yet: got " + std::string(dtypeName(dtype)) + ", expected " +
                std::string(expected));
  };
  if (isPartial(from) && isPartial(to)) {
    if (isMaskPartial(from) && to == Placement(Partial{partialOp(from).value()})) return {};
    return fail("Redistribution from one partial type (" + toText(from) + ") to another (" +
                toText(to) + ") is unsupported.");
  }
  if (shardedDim(from) && isPartial(to) && to != Placement(Partial{ReduceOp::Sum})) {
    return fail("Can not redistribute from " + toText(from) + " to " + toText(to) +
                ", only Shard to Partial(sum) redistribution is supported!");
  }
  if (isReplicate(from) && isPartial(to) && !canBeMadeOfWhole(to)) {
    return fail("Replicate to " + toText(to) + " conversion is not supported.");
  }
  if ((needsFractions(from) || needsFractions(to)) && !isFloating(dtype)) {
    return refuseType("floating-point numbers");
  }
  if (partialOp(from) == ReduceOp::Avg && dtype == DType::Bool) return refuseType("numbers");
  if (isBitwise(partialOp(from)) && !isWhole(dtype)) return refuseType("whole numbers or bool");
  if (ordersOrMultiplies(partialOp(from)) && isComplex(dtype)) {
    return refuseType("a dtype that is not complex");
  }
  return {};
}

}  // namespace

std::string_view moveName(Move move) { return kMoveNames[static_cast<std::size_t>(move)]; }

std::optional<Move> parseMove(std::string_view name) {
  const auto* found = std::find(kMoveNames.begin(), kMoveNames.end(), name);
  if (found == kMoveNames.end()) return std::nullopt;
  return static_cast<Move>(found - kMoveNames.begin());
}

CollectiveKind collectiveOf(Move move) {
  switch (move) {
    case Move::AllGather:
    case Move::AllGatherRows:
      return CollectiveKind::AllGather;
    case Move::AllReduce:
      return CollectiveKind::AllReduce;
    case Move::ReduceScatter:
      return CollectiveKind::ReduceScatter;
    case Move::AllToAll:
    case Move::AllToAllRows:
      return CollectiveKind::AllToAll;
    default:
      return CollectiveKind::Other;
  }
}

Move moveOf(const Placement& from, const Placement& to) {
  if (sameSharding(from, to)) return Move::Relabel;
  const bool toShard = shardedDim(to).has_value();
  if (shardedDim(from)) {
    return toShard ? Move::AllToAll : isPartial(to) ? Move::Pad : Move::AllGather;
  }
  if (isReplicate(from)) return toShard ? Move::Slice : Move::MakePartial;
  if (isPartial(to)) return Move::Relabel;
  return toShard ? Move::ReduceScatter : Move::AllReduce;
}

bool sameSharding(const Placement& a, const Placement& b) {
  return shardedDim(a).has_value() && shardedDim(a) == shardedDim(b) &&
         splitFactor(a) == splitFactor(b);
}

bool reshards(const Placement& from, const Placement& to) {
  return shardedDim(from).has_value() && shardedDim(from) == shardedDim(to) &&
         !sameSharding(from, to);
}

bool sameOuterShards(const Placements& a, const Placements& b, std::size_t meshDim, int tensorDim) {
  for (std::size_t i = 0; i < meshDim; ++i) {
    const bool shards = shardedDim(a[i]) == tensorDim || shardedDim(b[i]) == tensorDim;
    if (shards && !sameSharding(a[i], b[i])) return false;
  }
  return true;
}

bool stillReduces(const Placements& now, const Placements& target) {
  for (std::size_t dim = 0; dim < now.size(); ++dim) {
    if (isPartial(now[dim]) && !isPartial(target[dim])) return true;
  }
  return false;
}

bool losesFractions(const Placement& p, DType dtype) {
  return partialOp(p) == ReduceOp::Avg && isWhole(dtype);
}

Result<void> verifySteps(const Plan& plan, DType dtype) {
  for (const auto& step : plan) {
    const auto dim = static_cast<std::size_t>(step.meshDims.front());
    if (auto verified = verifyStep(step.from[dim], step.to[dim], dtype); !verified) {
      return verified;
    }
  }
  return {};
}

void Steps::change(std::size_t meshDim, const Placement& to) {
  const Placement& from = state_[meshDim];
  if (from == to) return;
  TransformInfo step{{static_cast<int>(meshDim)}, moveOf(from, to), state_, state_};
  step.to[meshDim] = to;
  add(std::move(step));
}

void Steps::add(TransformInfo step) {
  state_ = step.to;
  plan_.push_back(std::move(step));
}

}  // namespace shardlens
