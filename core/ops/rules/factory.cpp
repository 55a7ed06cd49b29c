#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

constexpr ReduceOp kReduceOps[] = {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Min, ReduceOp::Max,
                                   ReduceOp::Product};

// New contents of the same shape: shards stay, and what was to be reduced is made whole, since
// each rank would otherwise add contents of its own.
std::vector<Row> like(const OpSchema& call) {
  std::vector<Row> rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) rows.push_back({"sharded", {shard}, {shard}});
  }
  for (const auto op : kReduceOps) rows.push_back({"whole", {Replicate{}}, {Partial{op}}});
  return rows;
}

// As like(), where the new tensor has the shape of the old one; otherwise every rank makes it
// whole.
std::vector<Row> resized(const OpSchema& call) {
  return call.outputs.front().shape == call.input(0).shape ? like(call) : std::vector<Row>{};
}

// The same contents: every placement stays.
std::vector<Row> copy(const OpSchema& call) {
  std::vector<Row> rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) rows.push_back({"sharded", {shard}, {shard}});
  }
  for (const auto op : kReduceOps) rows.push_back({"partial", {Partial{op}}, {Partial{op}}});
  return rows;
}

}  // namespace

std::vector<NamedRule> factoryRules() {
  std::vector<NamedRule> rules;
  for (const auto name :
       {"aten.empty_like", "aten.full_like", "aten.ones_like", "aten.zeros_like"}) {
    rules.push_back({name, {.rows = like, .emptyShards = Rule::EmptyShards::Kept}});
  }
  rules.push_back({"aten.new_empty_strided",
                   {.rows = resized,
                    .emptyShards = Rule::EmptyShards::Kept,
                    .sizeArg = "size",
                    .strideArg = "stride"}});
  for (const auto name : {"aten.alias", "aten.clone", "aten.detach"}) {
    rules.push_back({name, {.rows = copy, .emptyShards = Rule::EmptyShards::Kept}});
  }
  return rules;
}

}  // namespace shardlens
