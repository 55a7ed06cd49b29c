#pragma once

#include "core/model/event.h"
#include "core/model/placement.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlens {

// The operation of one step: a local change, or a collective among the ranks of a group.
enum class Move : std::uint8_t {
  Relabel,      // local: the same parts under another placement
  Slice,        // local: each rank keeps its shard of the whole tensor
  Pad,          // local: each rank pads its shard with zeros, which makes a partial sum
  MakePartial,  // local: each rank turns the whole tensor into a partial value
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  AllGatherRows,  // all-gather of the rows that each rank owns, instead of an AllReduce
  AllToAllRows,   // all-to-all of the owned rows, instead of a ReduceScatter
};
inline constexpr std::size_t kMoveCount = 10;

std::string_view moveName(Move move);                  // "all_gather"; "slice"
std::optional<Move> parseMove(std::string_view name);  // inverse of moveName()
// Returns the collective that performs the move; Other for a local move.
CollectiveKind collectiveOf(Move move);
inline bool isCollective(Move move) { return move >= Move::AllGather; }
inline bool movesOwnedRows(Move move) { return move >= Move::AllGatherRows; }

// One step of a redistribution. Usually one mesh dimension changes; several change if collectives
// were merged into one over a flattened group. Gathering an outer shard also rewrites the inner
// ones of the same tensor dimension, (S(0), S(0)) -> (R, SS(0, 2)), without moving them. Therefore
// a step has the placements of the whole mesh before and after it.
struct TransformInfo {
  std::vector<int> meshDims;  // a group is the ranks that differ along these; ascending
  Move move = Move::Relabel;
  Placements from;
  Placements to;
  bool operator==(const TransformInfo&) const = default;
};

using Plan = std::vector<TransformInfo>;

}  // namespace shardlens
