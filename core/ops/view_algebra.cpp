#include "core/ops/view_algebra.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"

#include <algorithm>
#include <optional>

namespace shardlens {
namespace {

// A shard: a dimension split into `factor` pieces, each of which is split into `parts` chunks.
struct DimShard {
  std::size_t dim = 0;
  std::int64_t factor = 1;
  int parts = 1;
};

std::int64_t product(const Shape& sizes, std::size_t begin, std::size_t end) {
  std::int64_t n = 1;
  for (std::size_t i = begin; i < end; ++i) n *= sizes[i];
  return n;
}

std::int64_t ceilDiv(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

// The effect of a shard on elements in row-major order. Every `period` elements are split alike,
// into pieces, and each piece into chunks. The last piece may be shorter, with shorter chunks.
// Shards with equal patterns give each part the same elements, even of different dimensions.
//
//   [2, 3], dim 1 into 3 parts: period, piece and chunk are 3, 3 and 1 elements
struct Pattern {
  std::int64_t period = 0;
  std::int64_t piece = 0;
  std::int64_t chunk = 0;
  std::int64_t lastChunk = 0;
  bool operator==(const Pattern&) const = default;
};

Pattern patternOf(const Shape& sizes, const DimShard& shard) {
  const std::int64_t n = sizes[shard.dim];
  const std::int64_t unit = product(sizes, shard.dim + 1, sizes.size());
  const std::int64_t piece = ceilDiv(n, shard.factor);
  const std::int64_t chunk = piece == 0 ? 0 : ceilDiv(piece, shard.parts);
  // The first part gets everything.
  if (chunk == piece) return {};
  const std::int64_t rest = n % piece;
  // Pieces of equal size are split alike at every position.
  if (rest == 0) return {piece * unit, piece * unit, chunk * unit, chunk * unit};
  return {n * unit, piece * unit, chunk * unit, ceilDiv(rest, shard.parts) * unit};
}

// Returns the number of indices of the dimension that a part gets.
std::int64_t heldBy(std::int64_t n, const DimShard& shard, int part) {
  const std::int64_t piece = ceilDiv(n, shard.factor);
  if (piece == 0) return 0;
  const auto held = [&](std::int64_t size) { return chunkOf(size, shard.parts, part).length; };
  return n / piece * held(piece) + held(n % piece);
}

// One group of dimensions passing through a view, mesh dimension by mesh dimension.
class GroupView {
 public:
  GroupView(Shape from, Shape to) : held_{{std::move(from), std::move(to)}} {}

  // Returns the shard of the new dimensions that gives every rank the same elements as this shard
  // of the old ones, or nullopt. Later shards apply to what ranks have after earlier ones.
  std::optional<DimShard> through(const DimShard& shard) {
    std::optional<DimShard> best;
    for (std::size_t dim = 0; dim < held_.front().to.size(); ++dim) {
      const auto same = sameAlong(dim, shard);
      if (same && (!best || same->factor < best->factor)) best = same;
    }
    if (best) divide(shard, *best);
    return best;
  }

 private:
  // Local sizes of the group's old and new dimensions: the same elements in the same order.
  struct Held {
    Shape from, to;
    bool operator==(const Held&) const = default;
  };

  // Converts a shard of old dimensions. It leaves equally many separate ranges before the new
  // dimension, times the factor along it.
  std::optional<DimShard> sameAlong(std::size_t dim, const DimShard& shard) const {
    const auto& [from, to] = held_.front();
    const std::int64_t stretches = product(from, 0, shard.dim) * shard.factor;
    const std::int64_t before = product(to, 0, dim);
    if (before == 0 || stretches == 0 || stretches % before != 0) return std::nullopt;
    const DimShard same{dim, stretches / before, shard.parts};
    const bool isSame = std::all_of(held_.begin(), held_.end(), [&](const Held& held) {
      return elementCount(held.from) == 0 ||
             patternOf(held.from, shard) == patternOf(held.to, same);
    });
    return isSame ? std::optional(same) : std::nullopt;
  }

  // With uneven shards ranks have different sizes, but only few different ones.
  void divide(const DimShard& from, const DimShard& to) {
    std::vector<Held> parts;
    for (const auto& held : held_) {
      for (int part = 0; part < from.parts; ++part) {
        Held each = held;
        each.from[from.dim] = heldBy(held.from[from.dim], from, part);
        each.to[to.dim] = heldBy(held.to[to.dim], to, part);
        if (std::find(parts.begin(), parts.end(), each) == parts.end()) parts.push_back(each);
      }
    }
    held_ = std::move(parts);
  }

  std::vector<Held> held_;  // the first is the largest
};

Shape sizesOf(const Shape& shape, const std::vector<int>& dims) {
  Shape sizes;
  for (const int dim : dims) sizes.push_back(shape[static_cast<std::size_t>(dim)]);
  return sizes;
}

// Returns the placement of the shard `shard`. If a group is flattened into one dimension, a shard
// of any but the first becomes strided even if it has one piece. A strided one stays strided.
Placement placementOf(const DimShard& shard, const Placement& old, const DimGroup& group) {
  const int dim = group.outputs[shard.dim];
  const bool staysStrided =
      group.outputs.size() == 1 && (isStridedShard(old) || !isShard(old, group.inputs.front()));
  if (shard.factor == 1 && !staysStrided) return Shard{dim};
  return StridedShard{dim, static_cast<int>(shard.factor)};
}

class View {
 public:
  View(const Shape& from, const Shape& to) : groups_(dimGroups(from, to)), of_(from.size()) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      views_.emplace_back(sizesOf(from, groups_[g].inputs), sizesOf(to, groups_[g].outputs));
      for (std::size_t i = 0; i < groups_[g].inputs.size(); ++i) {
        of_[static_cast<std::size_t>(groups_[g].inputs[i])] = {g, i};
      }
    }
  }

  std::optional<Placement> through(const Placement& placement, int parts) {
    const auto dim = shardedDim(placement);
    if (!dim) return placement;
    const auto [g, at] = of_[static_cast<std::size_t>(*dim)];
    const auto* strided = std::get_if<StridedShard>(&placement);
    const auto shard =
        views_[g].through({at, strided != nullptr ? strided->splitFactor : 1, parts});
    if (!shard) return std::nullopt;
    return placementOf(*shard, placement, groups_[g]);
  }

 private:
  struct Place {
    std::size_t group = 0;
    std::size_t at = 0;
  };

  std::vector<DimGroup> groups_;
  std::vector<GroupView> views_;
  std::vector<Place> of_;  // by old dimension
};

}  // namespace

std::vector<DimGroup> dimGroups(const Shape& from, const Shape& to) {
  std::vector<DimGroup> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    DimGroup group;
    std::int64_t had = 1, gets = 1;
    const auto takeInput = [&] {
      had *= from[i];
      group.inputs.push_back(static_cast<int>(i++));
    };
    const auto takeOutput = [&] {
      gets *= to[j];
      group.outputs.push_back(static_cast<int>(j++));
    };
    const bool both = i < from.size() && j < to.size();
    if (both && from[i] == 1 && to[j] != 1) {
      takeInput();
    } else if (both && from[i] != 1 && to[j] == 1) {
      takeOutput();
    } else {
      if (i < from.size()) takeInput();
      if (j < to.size()) takeOutput();
      // Without elements, the products need not meet.
      while (had != gets && (i < from.size() || j < to.size())) {
        const bool takesInput = i < from.size() && (had < gets || j == to.size());
        takesInput ? takeInput() : takeOutput();
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

ViewPlacements placementsThrough(const Shape& from, const Shape& to, const DeviceMesh& mesh,
                                 const Placements& placements) {
  if (from == to) return {placements, placements};
  ViewPlacements through;
  // Without elements, every rank has all of them.
  if (elementCount(from) == 0) {
    through = {placements, placements};
    for (auto& placement : through.output) {
      if (shardedDim(placement)) placement = Replicate{};
    }
    return through;
  }
  View view(from, to);
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    const auto kept = view.through(placement, mesh.size(dim));
    through.input.push_back(kept ? placement : Placement(Replicate{}));
    through.output.push_back(kept.value_or(Replicate{}));
  }
  return through;
}

}  // namespace shardlens
