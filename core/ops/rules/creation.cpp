#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

constexpr ReduceOp kReduceOps[] = {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Min, ReduceOp::Max,
                                   ReduceOp::Product};

std::vector<SingleDimStrategy> sharded(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim))
      strategies.push_back({"sharded", {shard}, {shard}});
  }
  return strategies;
}

// The contents are copied, so every placement stays.
std::vector<SingleDimStrategy> copy(const OpSchema& call) {
  auto strategies = sharded(call);
  for (const auto op : kReduceOps) strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  return strategies;
}

// Uninitialized contents, for a tensor that will be copied into them, which may be partial.
std::vector<SingleDimStrategy> uninitialized(const OpSchema& call) {
  auto strategies = copy(call);
  for (auto& strategy : newContents(call)) strategies.push_back(std::move(strategy));
  return strategies;
}

// Keeps placements if the shape stays. With another shape every rank creates the whole tensor.
template <std::vector<SingleDimStrategy> (*sameShape)(const OpSchema&)>
std::vector<SingleDimStrategy> resized(const OpSchema& call) {
  if (call.outputs.front().shape == call.input(0).shape) return sameShape(call);
  std::vector<SingleDimStrategy> strategies;
  for (const auto& placement : call.inputs.front().placements) {
    strategies.push_back({"whole", {Replicate{}}, {placement}});
  }
  return strategies;
}

// Returns true if each value of `from` is exactly representable in `to`.
bool holdsAll(DType from, DType to) {
  if (from == to || from == DType::Bool) return true;
  if (isComplex(to)) return holdsAll(realDType(from), realDType(to));
  if (isComplex(from) || to == DType::Bool || (isFloating(from) && !isFloating(to))) return false;
  const int bits = 8 * dtypeSize(from);
  switch (to) {
    case DType::Float64:
      return bits < 64;
    case DType::Float32:
      return isFloating(from) ? bits < 32 : bits <= 16;
    case DType::Float16:
    case DType::BFloat16:
      return !isFloating(from) && bits <= 8;
    default:
      return from == DType::UInt8 ? bits < 8 * dtypeSize(to)
                                  : to != DType::UInt8 && bits <= 8 * dtypeSize(to);
  }
}

std::vector<SingleDimStrategy> cast(const OpSchema& call) {
  auto strategies = sharded(call);
  for (const auto op : kReduceOps) {
    if (!castsTermwise(op, call.input(0).dtype, call.outputs.front().dtype)) continue;
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return strategies;
}

// The old contents are not read. The new ones are sharded, or stay partial, to match the
// destination.
std::vector<SingleDimStrategy> copyInto(const OpSchema& call) {
  auto strategies = elementwiseRule().singleDimStrategies(call);
  for (const auto op : kReduceOps) {
    if (!castsTermwise(op, call.input(1).dtype, call.input(0).dtype)) continue;
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}, Partial{op}}});
  }
  return strategies;
}

}  // namespace

bool castsTermwise(ReduceOp op, DType from, DType to) {
  const bool wholes = isWhole(from) && from != DType::Bool && to != DType::Bool;
  const bool mixes = isComplex(from) || isComplex(to);
  switch (op) {
    case ReduceOp::Sum:
      if (wholes) return isWhole(to) && dtypeSize(to) <= dtypeSize(from);
      return !isWhole(from) && holdsAll(from, to);
    case ReduceOp::Avg:
      return !isWhole(from) && holdsAll(from, to);
    case ReduceOp::Max:
    case ReduceOp::Min:
      if (mixes) return from == to;
      return holdsAll(from, to) || (isFloating(from) && (isFloating(to) || to == DType::Int64));
    default:
      return from == to;
  }
}

std::vector<SingleDimStrategy> newContents(const OpSchema& call) {
  auto strategies = sharded(call);
  for (const auto& placement : call.inputs.front().placements) {
    if (isPartial(placement)) strategies.push_back({"whole", {Replicate{}}, {placement}});
  }
  return strategies;
}

std::vector<SingleDimStrategy> overwritten(const OpSchema& call) {
  auto strategies = elementwiseRule().singleDimStrategies(call);
  for (const auto& placement : call.inputs.front().placements) {
    if (!isPartial(placement) || !takesWhole(placement) || isMaskPartial(placement)) continue;
    Placements inputs(call.inputs.size(), Replicate{});
    inputs.front() = placement;
    strategies.push_back({"partial result", {placement}, std::move(inputs)});
  }
  return strategies;
}

std::vector<NamedRule> creationRules() {
  std::vector<NamedRule> rules;
  const auto add = [&](std::string_view name, Rule rule) {
    rule.emptyShards = Rule::EmptyShards::Kept;
    rules.push_back({std::string(name), rule});
  };
  for (const auto name : {"aten.empty_like", "aten.ones_like", "aten.zeros_like"}) {
    add(name, {.singleDimStrategies = newContents});
  }
  add("aten.full_like", {.singleDimStrategies = newContents, .freeNumbers = true});
  for (const auto name : {"aten.new_full", "aten.new_ones", "aten.new_zeros"}) {
    add(name, {.singleDimStrategies = resized<newContents>, .sizeArg = "size"});
  }
  add("aten.new_empty", {.singleDimStrategies = resized<uninitialized>, .sizeArg = "size"});
  add("aten.new_empty_strided",
      {.singleDimStrategies = resized<uninitialized>, .sizeArg = "size", .strideArg = "stride"});
  for (const auto name : {"aten.alias", "aten.clone", "aten.detach", "aten.lift_fresh"}) {
    add(name, {.singleDimStrategies = copy});
  }
  add("aten.fill.Scalar", {.singleDimStrategies = newContents});
  add("aten.fill.Tensor", elementwiseRule());
  add("aten._to_copy", {.singleDimStrategies = cast});
  add("aten.copy", {.singleDimStrategies = copyInto, .elementwise = true});
  add("aten.fill_.Scalar", {.singleDimStrategies = overwritten, .freeNumbers = true});
  for (const auto name : {"aten.fill_.Tensor", "aten.zero"}) {
    add(name, {.singleDimStrategies = overwritten});
  }
  return rules;
}

}  // namespace shardlens
