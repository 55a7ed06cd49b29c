#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

constexpr ReduceOp kReduceOps[] = {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Min, ReduceOp::Max,
                                   ReduceOp::Product};

std::vector<Row> sharded(const OpSchema& call) {
  std::vector<Row> rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) rows.push_back({"sharded", {shard}, {shard}});
  }
  return rows;
}

// The same contents: every placement stays.
std::vector<Row> copy(const OpSchema& call) {
  auto rows = sharded(call);
  for (const auto op : kReduceOps) rows.push_back({"partial", {Partial{op}}, {Partial{op}}});
  return rows;
}

// Contents that nobody has written yet, made for a tensor that will be copied into them: that may
// be terms.
std::vector<Row> uninitialized(const OpSchema& call) {
  auto rows = copy(call);
  for (auto& row : newContents(call)) rows.push_back(std::move(row));
  return rows;
}

// As it is with the shape of the old tensor; in another every rank makes the new one whole.
template <std::vector<Row> (*sameShape)(const OpSchema&)>
std::vector<Row> resized(const OpSchema& call) {
  if (call.outputs.front().shape == call.input(0).shape) return sameShape(call);
  std::vector<Row> rows;
  for (const auto& placement : call.inputs.front().placements) {
    rows.push_back({"whole", {Replicate{}}, {placement}});
  }
  return rows;
}

// Whether each value of one dtype is one of the other.
bool holdsAll(DType from, DType to) {
  if (from == to || from == DType::Bool) return true;
  if (to == DType::Bool || (isFloating(from) && !isFloating(to))) return false;
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

std::vector<Row> cast(const OpSchema& call) {
  auto rows = sharded(call);
  for (const auto op : kReduceOps) {
    if (!castsTermwise(op, call.input(0).dtype, call.outputs.front().dtype)) continue;
    rows.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return rows;
}

// What was there before is read by nobody: the new contents are cut, or made into terms, as they
// are to lie.
std::vector<Row> copyInto(const OpSchema& call) {
  auto rows = elementwiseRule().rows(call);
  for (const auto op : kReduceOps) {
    if (!castsTermwise(op, call.input(1).dtype, call.input(0).dtype)) continue;
    rows.push_back({"partial", {Partial{op}}, {Partial{op}, Partial{op}}});
  }
  return rows;
}

}  // namespace

bool castsTermwise(ReduceOp op, DType from, DType to) {
  const bool wholes = !isFloating(from) && from != DType::Bool && to != DType::Bool;
  switch (op) {
    case ReduceOp::Sum:
      if (wholes) return !isFloating(to) && dtypeSize(to) <= dtypeSize(from);
      return isFloating(from) && holdsAll(from, to);
    case ReduceOp::Avg:
      return isFloating(from) && holdsAll(from, to);
    case ReduceOp::Max:
    case ReduceOp::Min:
      return holdsAll(from, to) || (isFloating(from) && (isFloating(to) || to == DType::Int64));
    default:
      return from == to;
  }
}

std::vector<Row> newContents(const OpSchema& call) {
  auto rows = sharded(call);
  for (const auto& placement : call.inputs.front().placements) {
    if (isPartial(placement)) rows.push_back({"whole", {Replicate{}}, {placement}});
  }
  return rows;
}

std::vector<Row> overwritten(const OpSchema& call) {
  auto rows = elementwiseRule().rows(call);
  for (const auto& placement : call.inputs.front().placements) {
    if (!isPartial(placement) || !takesWhole(placement) || isMaskPartial(placement)) continue;
    Placements inputs(call.inputs.size(), Replicate{});
    inputs.front() = placement;
    rows.push_back({"terms", {placement}, std::move(inputs)});
  }
  return rows;
}

std::vector<NamedRule> factoryRules() {
  std::vector<NamedRule> rules;
  const auto add = [&](std::string_view name, Rule rule) {
    rule.emptyShards = Rule::EmptyShards::Kept;
    rules.push_back({std::string(name), rule});
  };
  for (const auto name :
       {"aten.empty_like", "aten.full_like", "aten.ones_like", "aten.zeros_like"}) {
    add(name, {.rows = newContents});
  }
  for (const auto name : {"aten.new_full", "aten.new_ones", "aten.new_zeros"}) {
    add(name, {.rows = resized<newContents>, .sizeArg = "size"});
  }
  add("aten.new_empty", {.rows = resized<uninitialized>, .sizeArg = "size"});
  add("aten.new_empty_strided",
      {.rows = resized<uninitialized>, .sizeArg = "size", .strideArg = "stride"});
  for (const auto name : {"aten.alias", "aten.clone", "aten.detach", "aten.lift_fresh"}) {
    add(name, {.rows = copy});
  }
  add("aten._to_copy", {.rows = cast});
  add("aten.copy", {.rows = copyInto, .elementwise = true});
  for (const auto name : {"aten.fill_.Scalar", "aten.fill_.Tensor", "aten.zero"}) {
    add(name, {.rows = overwritten});
  }
  return rules;
}

}  // namespace shardlens
