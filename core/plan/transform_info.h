#pragma once

#include "core/model/placement.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// What the ranks of a group do to one another's parts, or each to its own.
enum class Move : std::uint8_t {
  Relabel,  // nothing moves: the same parts under another name
  Cut,      // each keeps its part of what all have
  Pad,      // each puts its shard among zeros: a term of a sum
  Terms,    // each makes what all have a term
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  AllGatherRows,  // an all_gather of the rows that each owns, in place of an all_reduce of terms
  AllToAllRows,   // an all_to_all of them, in place of a reduce_scatter
};
inline constexpr std::size_t kMoveCount = 10;

std::string_view moveName(Move move);  // "all_gather"; "cut"
inline bool isCollective(Move move) { return move >= Move::AllGather; }
inline bool movesOwnedRows(Move move) { return move >= Move::AllGatherRows; }

// One step of a redistribution. Usually one mesh dimension's placement changes; several do where
// neighbouring collectives are merged into one over a flattened group. Undoing an outer cut also
// renames the inner ones of the same tensor dimension, (S(0), S(0)) -> (R, SS(0, 2)), which moves
// nothing; that is why a step says the placements of the whole mesh before and after it.
struct TransformInfo {
  std::vector<int> meshDims;  // the ranks that differ along these take part, ascending
  Move move = Move::Relabel;
  Placements from;
  Placements to;
  bool operator==(const TransformInfo&) const = default;
};

using Plan = std::vector<TransformInfo>;

}  // namespace shardlens
