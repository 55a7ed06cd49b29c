#pragma once

#include "core/model/spec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

namespace shardlens {

// The placements of the mesh dimensions with more than one rank, one byte per dimension.
using PlacementCode = std::uint64_t;
using Code = std::uint8_t;  // the placement of one mesh dimension

// Note [Shards that commute]
// If everything divides evenly, an index along a tensor dimension is a number with several digits.
// A shard over k ranks takes one digit: the one below a prefix of splitFactor values, of the digits
// that earlier shards left. A shard (a over k) followed by another one (b over m) can be written in
// the other order if neither digit overlaps the other:
//   a = c * b * m:  the other digit is inside the prefix: (b over m), then (a / m over k)
//   b = c * a:      the prefix contains the one digit:    (b * k over m), then (a over k)
// (S(0), S(0)) on 2x2 is (R, SS(0, 2)) followed by a shard on mesh dimension 0, which can be
// gathered. If not everything divides evenly, the local parts are compared instead.

// Encodes the placement states of a search as integers, and computes how a change of one mesh
// dimension rewrites the others. Results are exact: a group has the same elements before and after,
// or the result is nullopt. Keeps references to the constructor's arguments. A dimension i below is
// an index among the mesh dimensions with more than one rank.
class PlacementCodec {
 public:
  static constexpr int kMostDims = 8;  // limit for mesh dimensions with more than one rank

  PlacementCodec(const Spec& current, const Placements& target);

  // Returns true if the mesh has at most kMostDims such dimensions. Otherwise call nothing else.
  bool fit() const { return fit_; }
  int ndim() const { return ndim_; }
  int size(int i) const { return sizes_[at(i)]; }
  int meshDim(int i) const { return meshDims_[at(i)]; }
  // Returns the index of a mesh dimension, or -1 if it has one rank.
  int indexOf(int meshDim) const {
    for (int i = 0; i < ndim_; ++i) {
      if (this->meshDim(i) == meshDim) return i;
    }
    return -1;
  }
  int tensorNdim() const { return static_cast<int>(spec_->meta.shape.size()); }
  PlacementCode source() const { return source_; }
  PlacementCode target() const { return target_; }

  static constexpr Code kReplicate = 0;
  static Code codeAt(PlacementCode state, int i) { return static_cast<Code>(state >> (8 * i)); }
  static PlacementCode with(PlacementCode state, int i, Code code) {
    return (state & ~(PlacementCode{0xff} << (8 * i))) | (PlacementCode{code} << (8 * i));
  }
  bool isSharded(Code code) const { return symbols_[code].tensorDim >= 0; }
  bool isPartial(Code code) const { return symbols_[code].tensorDim == kPartial; }
  // Returns the sharded tensor dimension; negative for R and partials.
  int tensorDim(Code code) const { return symbols_[code].tensorDim; }
  Placement placement(Code code) const;  // a shard with split factor 1 as Shard
  // Returns the code, the same for SS(0, 1) and S(0). A partial must outlive this object. Throws
  // std::bad_optional_access for a shard if 64 codes are in use.
  Code codeOf(const Placement& placement);

  // Returns the state after an all-gather over dimension i, which must be sharded. The shards to
  // its right are rewritten. Like the next two, returns nullopt if no exact code exists.
  std::optional<PlacementCode> withoutShard(PlacementCode state, int i);
  // Inverse of withoutShard(): shards dimension i with this code.
  std::optional<PlacementCode> withShard(PlacementCode withoutShard, int i, Code code);
  // As withShard(), but each rank keeps a contiguous range of its local part of tensorDim.
  std::optional<PlacementCode> withInnerShard(PlacementCode withoutShard, int i, int tensorDim);

  // Returns the number of local parts compared so far; see FoundPlan.
  int partsCompared() const { return partsCompared_; }

 private:
  static constexpr int kPartial = -2;
  struct Symbol {
    int tensorDim = -1;
    int splitFactor = 1;
    const Placement* written = nullptr;  // of a partial; not owned
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  PlacementCode encoded(const Placements& placements);
  std::optional<Code> shardCode(int tensorDim, std::int64_t splitFactor);
  bool isShardedOn(PlacementCode state, int i, int tensorDim) const {
    return symbols_[codeAt(state, i)].tensorDim == tensorDim;
  }
  std::int64_t factor(PlacementCode state, int i) const {
    return symbols_[codeAt(state, i)].splitFactor;
  }
  // Returns true if a shard of `withoutShard` on dimension i gives the same parts as `sharded`.
  bool commutes(PlacementCode sharded, PlacementCode withoutShard, int i, int tensorDim);
  bool divides(PlacementCode state, int tensorDim) const;
  // Returns the lengths of the local parts that the shards left of dimension i produce.
  std::set<std::int64_t> lengthsOutside(PlacementCode state, int i, int tensorDim) const;
  bool sameParts(PlacementCode sharded, PlacementCode withoutShard, int i, int tensorDim);

  const Spec* spec_;
  bool fit_ = true;
  int ndim_ = 0;
  std::size_t symbolCount_ = 1;
  std::array<int, kMostDims> sizes_;
  std::array<int, kMostDims> meshDims_;
  std::array<Symbol, 64> symbols_;
  PlacementCode source_ = 0;
  PlacementCode target_ = 0;
  // Cached results of sameParts() for one set of shards, a bit per dimension i: which were
  // compared, and which are the same.
  struct Compared {
    unsigned known = 0;
    unsigned same = 0;
  };
  std::unordered_map<PlacementCode, Compared> compared_;
  int partsCompared_ = 0;
};

}  // namespace shardlens
