#include "core/inference/collective_relation.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns true if no group of the collective has two ranks of one group of the axis.
bool crosses(const std::vector<std::vector<int>>& groups, const RankAxis& axis) {
  for (const auto& group : groups) {
    for (const auto& line : axis.groups) {
      const auto shared = std::count_if(line.begin(), line.end(), [&](int rank) {
        return std::find(group.begin(), group.end(), rank) != group.end();
      });
      if (shared > 1) return false;
    }
  }
  return !groups.empty();
}

bool isSummed(const PlainCall& call) { return call.reduction == "sum" || call.reduction == "avg"; }

// Along other axes the tensor keeps its placement, except for a shard of the dimension in which
// parts are joined or taken, and for partial values of which a maximum or minimum is taken. A
// collective that adds a dimension to the tensor keeps no shard.
Relation beside(const PlainGraph& graph, const PlainOperation& op, PlacementCodes& codes) {
  Relation relation{.isOpen = true, .isKnown = true};
  const auto& kind = op.call->collective;
  const bool moves = kind == "all_gather" || kind == "reduce_scatter" || kind == "all_to_all";
  Placements kept{Replicate{}, Partial{}, Partial{ReduceOp::Avg}};
  if (kind != "all_gather" && !isSummed(*op.call)) kept = {Replicate{}};
  const int ndim = graph.variables[op.inputs.front()].meta.ndim();
  const bool keepsShards = ndim == graph.variables[op.outputs.front()].meta.ndim();
  for (int dim = 0; keepsShards && dim < ndim; ++dim) {
    if (!moves || (op.dim >= 0 && dim != op.dim)) kept.emplace_back(Shard{dim});
  }
  for (const auto& placement : kept) {
    const int code = codes.codeOf(placement);
    relation.rows.push_back(
        {std::vector<int>(op.inputs.size(), code), std::vector<int>(op.outputs.size(), code)});
  }
  return relation;
}

}  // namespace

CollectiveFacts collectiveFacts(const PlainGraph& graph, const PlainOperation& op,
                                const RankAxis& axis, PlacementCodes& codes) {
  const PlainCall& call = *op.call;
  const auto& kind = call.collective;
  CollectiveFacts facts;
  if (op.inputs.empty() || op.outputs.empty() || !op.isOnAllRanks) return facts;
  if (!covers(op.groups, axis)) {
    const bool follows = kind == "all_reduce" || kind == "all_gather" || kind == "reduce_scatter";
    if (follows && crosses(op.groups, axis)) facts.relation = beside(graph, op, codes);
    return facts;
  }
  const Domain replicate = PlacementCodes::bit(PlacementCodes::kReplicate);
  const int ndim = graph.variables[op.inputs.front()].meta.ndim();
  if (kind == "all_reduce") {
    if (isSummed(call)) facts.inputs = codes.partialSums();
    facts.outputs = replicate;
  } else if (kind == "all_gather") {
    if (ndim > 0) {
      facts.inputs =
          op.dim >= 0 ? PlacementCodes::bit(codes.codeOf(Shard{op.dim})) : codes.shards(ndim);
    }
    facts.outputs = replicate;
  } else if (kind == "reduce_scatter") {
    if (isSummed(call)) facts.inputs = codes.partialSums();
    if (op.dim >= 0) facts.outputs = PlacementCodes::bit(codes.codeOf(Shard{op.dim}));
  } else if (kind == "all_to_all" && !call.isList) {
    const auto members = static_cast<int>(op.groups.front().size());
    facts.inputs = facts.outputs =
        codes.shards(ndim) | PlacementCodes::bit(codes.codeOf(StridedShard{0, members}));
  } else if (kind == "broadcast") {
    facts.outputs = replicate;
  }
  return facts;
}

}  // namespace shardlens
