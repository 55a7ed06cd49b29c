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

std::string_view reduceOpName(ReduceOp op);
Result<ReduceOp> parseReduceOp(std::string_view name);

// Every rank of the mesh dimension holds the same.
struct Replicate {
  bool operator==(const Replicate&) const = default;
};

// Rank r of k holds the r-th of k pieces of a tensor dimension, each ceil(n/k) long, the last ones
// short or empty.
struct Shard {
  int dim = 0;
  bool operator==(const Shard&) const = default;
};

// The dimension is cut into splitFactor pieces first, and a rank holds its part of each: what is
// left when a mesh dimension cuts a tensor dimension that one further right has cut before it.
// Not a Shard.
struct StridedShard {
  int dim = 0;
  int splitFactor = 1;
  bool operator==(const StridedShard&) const = default;
};

// Every rank holds a term; the value is their reduction.
struct Partial {
  ReduceOp op = ReduceOp::Sum;
  double factor = 1.0;  // of premul_sum, else 1
  bool operator==(const Partial&) const = default;
};

// A term of a p-norm: the value is (sum of |term|^p)^(1/p).
struct NormPartial {
  double norm = 2.0;
  bool operator==(const NormPartial&) const = default;
};

// A partial sum in which the rank that owns a row of a table has it, and the others' entries are
// masked. A pure value: the mask itself belongs to the tensor (Note [The mask is the tensor's]).
struct MaskPartial {
  ReduceOp op = ReduceOp::Sum;
  Shape offsetShape;  // of the table that was looked up
  int offsetDim = 0;  // the dimension that ids count along
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
// Any placement whose value is still to be reduced: Partial, NormPartial, MaskPartial.
bool isPartial(const Placement& p);
// Whether ids or results are masked along some mesh dimension.
bool hasMask(const Placements& placements);
// Whether a whole tensor can be made into terms of this: a sum, an average, an extreme,
// or a norm.
bool takesWhole(const Placement& p);
// The tensor dimension that is cut, by Shard or StridedShard.
std::optional<int> shardedDim(const Placement& p);
// The reduce op of a Partial or MaskPartial.
std::optional<ReduceOp> partialOp(const Placement& p);
// The first partial of each kind; one list may have one kind only. What is masked counts as its op,
// and an average as a sum.
Placements kindsOfPartial(const Placements& placements);

// The written notation: R, S(0), SS(0, 2), P(sum), P(premul_sum, 0.5), NormP(2),
// MaskP(sum, [10, 3], 0). parsePlacement(toText(p)) == p. What DTensor prints in its own way,
// _S(0, 2), _NormP(2) and MaskP(sum, torch.Size([10, 3]), 0), is read too.
std::string toText(const Placement& p);
std::string toText(const Placements& placements);  // "(S(0), R)"
std::string toText(const Shape& shape);            // "[10, 3]"
Result<Placement> parsePlacement(std::string_view text);

}  // namespace shardlens
