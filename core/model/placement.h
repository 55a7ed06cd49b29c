#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardlens {

using Shape = std::vector<std::int64_t>;

enum class ReduceOp : std::uint8_t { Sum, Avg, Min, Max, Product, Band, Bor, Bxor, PremulSum };

std::string_view reduceOpName(ReduceOp op);  // "sum", "premul_sum"
// Parses the name; returns an error that lists the valid ones. Inverse of reduceOpName().
Result<ReduceOp> parseReduceOp(std::string_view name);

// Each rank of the mesh dimension has the whole tensor.
struct Replicate {
  bool operator==(const Replicate&) const = default;
};

// Rank r of k has the r-th of k chunks of a tensor dimension. Each chunk has ceil(n/k) elements;
// the last ones may be shorter or empty.
struct Shard {
  int dim = 0;
  bool operator==(const Shard&) const = default;
};

// The tensor dimension is split into splitFactor pieces, and each rank has its chunk of every
// piece. Arises when a mesh dimension shards a tensor dimension after one to its right did.
// isShard() is false for it.
struct StridedShard {
  int dim = 0;
  int splitFactor = 1;
  bool operator==(const StridedShard&) const = default;
};

// Each rank has a partial value; the tensor is their reduction.
struct Partial {
  ReduceOp op = ReduceOp::Sum;
  double factor = 1.0;  // for PremulSum, else 1
  bool operator==(const Partial&) const = default;
};

// Each rank has a partial p-norm; the tensor is (sum of |partial|^p)^(1/p).
struct NormPartial {
  double norm = 2.0;
  bool operator==(const NormPartial&) const = default;
};

// The partial result of a lookup in a sharded table, or its masked ids: each row is valid on the
// rank that owns it and masked elsewhere. A pure value: the mask itself belongs to the tensor
// (Note [The mask is the tensor's]).
struct MaskPartial {
  ReduceOp op = ReduceOp::Sum;
  Shape offsetShape;  // shape of the table
  int offsetDim = 0;  // table dimension that the ids index
  bool operator==(const MaskPartial&) const = default;
};

using Placement = std::variant<Replicate, Shard, StridedShard, Partial, NormPartial, MaskPartial>;
using Placements = std::vector<Placement>;

inline bool isReplicate(const Placement& p) { return std::holds_alternative<Replicate>(p); }
inline bool isShard(const Placement& p) { return std::holds_alternative<Shard>(p); }
inline bool isShard(const Placement& p, int dim) {
  const auto* shard = std::get_if<Shard>(&p);
  return shard != nullptr && shard->dim == dim;
}
inline bool isStridedShard(const Placement& p) { return std::holds_alternative<StridedShard>(p); }
inline bool isMaskPartial(const Placement& p) { return std::holds_alternative<MaskPartial>(p); }
// Returns true for Partial, NormPartial and MaskPartial: the tensor still has to be reduced.
bool isPartial(const Placement& p);
// Returns true if any of the placements is a MaskPartial.
bool hasMask(const Placements& placements);
// Returns true if a replicated tensor can be converted to this placement: a partial sum, avg, min
// or max, or a partial norm.
bool takesWhole(const Placement& p);
// Returns the tensor dimension of a Shard or StridedShard, else nullopt.
std::optional<int> shardedDim(const Placement& p);
// Returns the reduce op of a Partial or MaskPartial, else nullopt.
std::optional<ReduceOp> partialOp(const Placement& p);
// Returns the first partial of each kind; valid placements have at most one kind. sum and avg are
// one kind, as are a MaskPartial and a Partial with its op. Different MaskPartials are two kinds.
Placements kindsOfPartial(const Placements& placements);

// Text notation: R, S(0), SS(0, 2), P(sum), P(premul_sum, 0.5), NormP(2), MaskP(sum, [10, 3], 0).
// parsePlacement(toText(p)) == p. Also parses DTensor's notation: _S(0, 2), _NormP(2) and
// MaskP(sum, torch.Size([10, 3]), 0). "P" alone is P(sum). Returns an error that lists the valid
// forms for other text. Accepts negative tensor dimensions, which verifyPlacements() resolves.
std::string toText(const Placement& p);
std::string toText(const Placements& placements);  // "(S(0), R)"
std::string toText(const Shape& shape);            // "[10, 3]"
Result<Placement> parsePlacement(std::string_view text);

}  // namespace shardlens
