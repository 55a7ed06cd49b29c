#pragma once

#include "core/model/spec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

namespace shardlens {

// The placements of those mesh dimensions that have more than one rank, a code in a byte each.
using PlacementCode = std::uint64_t;
using Code = std::uint8_t;

// Note [Cuts that commute]
// Where everything divides, an index along a tensor dimension is a number of several digits, and a
// cut over k ranks takes one of them: that below a prefix worth splitFactor, of the digits left by
// the cuts before it. So a cut (a over k) with another one (b over m) after it can be written in the
// other order, as long as neither digit lies across the other:
//   a = c * b * m:  the other is inside the prefix: (b over m), then (a / m over k)
//   b = c * a:      the prefix contains the one:    (b * k over m), then (a over k)
// (S(0), S(0)) on 2x2 is (R, SS(0, 2)) first and then a cut of mesh dimension 0, which can be
// gathered. Where not everything divides, the parts themselves are compared.

// The layouts that a search walks through, as numbers, and what a change of one mesh dimension does
// to the others. Each answer is exact: the parts of a group before and after are the same elements,
// or there is no answer.
class PlacementCodec {
 public:
  static constexpr int kMostDims = 8;  // of the mesh, counting those of more than one rank

  PlacementCodec(const Spec& current, const Placements& target);

  // Whether mesh and placements are few enough for numbers; nothing else may be asked if not.
  bool fit() const { return fit_; }
  int ndim() const { return ndim_; }
  int size(int i) const { return sizes_[at(i)]; }
  int meshDim(int i) const { return meshDims_[at(i)]; }
  // Of the layout's dimensions, which that one is; -1 where it has one rank.
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
  static Code codeAt(PlacementCode layout, int i) { return static_cast<Code>(layout >> (8 * i)); }
  static PlacementCode with(PlacementCode layout, int i, Code code) {
    return (layout & ~(PlacementCode{0xff} << (8 * i))) | (PlacementCode{code} << (8 * i));
  }
  bool isCut(Code code) const { return symbols_[code].tensorDim >= 0; }
  bool isPartial(Code code) const { return symbols_[code].tensorDim == kPartial; }
  // Equal for cuts of one tensor dimension.
  int tensorDim(Code code) const { return symbols_[code].tensorDim; }
  Placement placement(Code code) const;
  // Equal for SS(0, 1) and S(0), which cut alike. The placement must outlive this.
  Code codeOf(const Placement& placement);

  // The mesh dimension cuts no more; those right of it are written as they shard without it.
  std::optional<PlacementCode> withoutShard(PlacementCode layout, int i);
  // The reverse, with a cut that is written so.
  std::optional<PlacementCode> withShard(PlacementCode withoutShard, int i, Code code);
  // The reverse, where each rank keeps one stretch of what it has of a tensor dimension.
  std::optional<PlacementCode> withInnerShard(PlacementCode withoutShard, int i, int tensorDim);

  // How many parts were worked out to answer.
  int partsCompared() const { return partsCompared_; }

 private:
  static constexpr int kPartial = -2;
  struct Symbol {
    int tensorDim = -1;
    int splitFactor = 1;
    const Placement* written = nullptr;  // of a partial
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  PlacementCode encoded(const Placements& placements);
  std::optional<Code> cutCode(int tensorDim, std::int64_t splitFactor);
  bool cuts(PlacementCode layout, int i, int tensorDim) const {
    return symbols_[codeAt(layout, i)].tensorDim == tensorDim;
  }
  std::int64_t factor(PlacementCode layout, int i) const {
    return symbols_[codeAt(layout, i)].splitFactor;
  }
  // Whether the cut layout is the withoutShard one with a further cut of mesh dimension i.
  bool commutes(PlacementCode cut, PlacementCode withoutShard, int i, int tensorDim);
  bool divides(PlacementCode layout, int tensorDim) const;
  // Of the stretches that the cuts left of the mesh dimension leave.
  std::set<std::int64_t> lengthsOutside(PlacementCode layout, int i, int tensorDim) const;
  bool sameParts(PlacementCode cut, PlacementCode withoutShard, int i, int tensorDim);

  const Spec* spec_;
  bool fit_ = true;
  int ndim_ = 0;
  std::size_t symbolCount_ = 1;
  std::array<int, kMostDims> sizes_;
  std::array<int, kMostDims> meshDims_;
  std::array<Symbol, 64> symbols_;
  PlacementCode source_ = 0;
  PlacementCode target_ = 0;
  // Of the cuts of one tensor dimension, whose parts were compared: for which mesh dimensions, and
  // which of them commute.
  struct Compared {
    unsigned known = 0;
    unsigned same = 0;
  };
  std::unordered_map<PlacementCode, Compared> compared_;
  int partsCompared_ = 0;
};

}  // namespace shardlens
