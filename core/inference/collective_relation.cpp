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
  const PlainCall& call = *op.call;
  const auto& kind = call.collective;
  const bool moves = kind == "all_gather" || kind == "reduce_scatter" || kind == "all_to_all";
  Placements kept{Replicate{}, Partial{}, Partial{ReduceOp::Avg}};
  if (!call.reduction.empty() && !isSummed(call)) kept = {Replicate{}};
  const int ndim = graph.variables[op.inputs.front()].meta.ndim();
  const bool keepsShards = ndim == graph.variables[op.outputs.front()].meta.ndim();
  for (int dim = 0; keepsShards && dim < ndim; ++dim) {
    const bool isMoved = op.dim < 0 || dim == op.dim || dim == op.sentDim;
    if (!moves || !isMoved || call.isUneven) kept.emplace_back(Shard{dim});
  }
  if (op.movesShard) {  // along another axis, a shard of the first dimension would lose its order
    relation.isOpen = false;
    kept.emplace_back(StridedShard{0, static_cast<int>(op.groups.front().size())});
  }
  for (const auto& placement : kept) {
    relation.rows.push_back(Relation::rowOfAll(op, codes.codeOf(placement)));
  }
  return relation;
}

// The placements of both sides of an all_to_all of one tensor along its axis. The parts of the
// members follow each other along dimension 0. If they are a dimension of their own, a shard is
// moved from or to another dimension; else it may stay on dimension 0, in another order.
Relation exchanged(Domain sides, const PlainOperation& op, PlacementCodes& codes) {
  Relation relation{.isKnown = true};
  const Domain first = PlacementCodes::bit(codes.codeOf(Shard{0})) |
                       PlacementCodes::bit(codes.codeOf(
                           StridedShard{0, static_cast<int>(op.groups.front().size())}));
  for (int from = 0; from < 64; ++from) {
    for (int to = 0; to < 64; ++to) {
      if (!has(sides, from) || !has(sides, to)) continue;
      if (op.movesShard && has(first, from) && has(first, to)) continue;
      relation.rows.push_back({{from}, {to}});
    }
  }
  return relation;
}

Domain only(PlacementCodes& codes, int dim) {
  return PlacementCodes::bit(codes.codeOf(Shard{dim}));
}

}  // namespace

CollectiveFacts collectiveFacts(const PlainGraph& graph, const PlainOperation& op,
                                const RankAxis& axis, PlacementCodes& codes) {
  const PlainCall& call = *op.call;
  const auto& kind = call.collective;
  CollectiveFacts facts;
  if (op.inputs.empty() || op.outputs.empty() || !op.isOnAllRanks) return facts;
  if (!covers(op.groups, axis)) {
    const bool follows = kind == "all_reduce" || kind == "all_gather" || kind == "reduce_scatter" ||
                         kind == "broadcast" || kind == "all_to_all";
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
      facts.inputs = op.dim >= 0 ? only(codes, op.dim) : codes.shards(ndim);
    }
    facts.outputs = replicate;
  } else if (kind == "reduce_scatter") {
    if (isSummed(call)) facts.inputs = codes.partialSums();
    if (op.dim >= 0) facts.outputs = only(codes, op.dim);
  } else if (kind == "all_to_all" && call.isUneven) {
    // Between dimensions that were merged into rows, as heads and positions, it moves a shard. If
    // its groups span other axes as well, ranks of this one may send the same rows.
    const bool isAlone = op.groups.front().size() == axis.groups.front().size();
    if (isAlone && !op.isOfViews) facts.inputs = facts.outputs = only(codes, 0);
  } else if (kind == "all_to_all" && !call.isList) {
    const auto members = static_cast<int>(op.groups.front().size());
    facts.inputs = facts.outputs =
        codes.shards(ndim) | PlacementCodes::bit(codes.codeOf(StridedShard{0, members}));
    if (op.inputs.size() == 1 && op.outputs.size() == 1) {
      facts.relation = exchanged(*facts.inputs, op, codes);
    }
  } else if (kind == "all_to_all" && op.sentDim >= 0 && op.dim != op.sentDim) {
    facts.inputs = only(codes, op.dim);
    facts.outputs = only(codes, op.sentDim);
  } else if (kind == "reduce") {  // only one member has the sum
    if (isSummed(call)) facts.inputs = codes.partialSums();
  } else if (kind == "gather") {
    if (ndim > 0) facts.inputs = codes.shards(ndim);
  } else if (kind == "scatter") {
    const int made = graph.variables[op.outputs.front()].meta.ndim();
    if (made > 0) facts.outputs = codes.shards(made);
  } else if (kind == "broadcast") {
    facts.outputs = replicate;
  }
  return facts;
}

}  // namespace shardlens
