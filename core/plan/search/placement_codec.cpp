#include "core/plan/search/placement_codec.h"

#include "core/model/shard_geometry.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the runs sorted, and joined where they touch.
Runs joined(Runs runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  Runs all;
  for (const auto& run : runs) appendRun(all, run);
  return all;
}

}  // namespace

PlacementCodec::PlacementCodec(const Spec& current, const Placements& target) : spec_(&current) {
  for (int dim = 0; dim < current.mesh->ndim(); ++dim) {
    if (current.mesh->size(dim) == 1) continue;
    if (ndim_ == kMostDims) {
      fit_ = false;
      return;
    }
    sizes_[at(ndim_)] = current.mesh->size(dim);
    meshDims_[at(ndim_++)] = dim;
  }
  source_ = encoded(current.placements);
  target_ = encoded(target);
}

PlacementCode PlacementCodec::encoded(const Placements& placements) {
  PlacementCode state = 0;
  for (int i = 0; i < ndim_; ++i) state = with(state, i, codeOf(placements[at(meshDim(i))]));
  return state;
}

Code PlacementCodec::codeOf(const Placement& placement) {
  if (isReplicate(placement)) return kReplicate;
  if (const auto* shard = std::get_if<Shard>(&placement)) return shardCode(shard->dim, 1).value();
  if (const auto* strided = std::get_if<StridedShard>(&placement)) {
    return shardCode(strided->dim, strided->splitFactor).value();
  }
  for (std::size_t code = 1; code < symbolCount_; ++code) {
    const auto* written = symbols_[code].written;
    if (written != nullptr && *written == placement) return static_cast<Code>(code);
  }
  symbols_[symbolCount_] = {kPartial, 1, &placement};
  return static_cast<Code>(symbolCount_++);
}

std::optional<Code> PlacementCodec::shardCode(int tensorDim, std::int64_t splitFactor) {
  for (std::size_t code = 1; code < symbolCount_; ++code) {
    const auto& symbol = symbols_[code];
    if (symbol.tensorDim == tensorDim && symbol.splitFactor == splitFactor) {
      return static_cast<Code>(code);
    }
  }
  if (symbolCount_ == symbols_.size() || splitFactor > INT32_MAX) return std::nullopt;
  symbols_[symbolCount_] = {tensorDim, static_cast<int>(splitFactor), nullptr};
  return static_cast<Code>(symbolCount_++);
}

Placement PlacementCodec::placement(Code code) const {
  const auto& symbol = symbols_[code];
  if (symbol.written != nullptr) return *symbol.written;
  if (symbol.tensorDim < 0) return Replicate{};
  if (symbol.splitFactor == 1) return Shard{symbol.tensorDim};
  return StridedShard{symbol.tensorDim, symbol.splitFactor};
}

std::optional<PlacementCode> PlacementCodec::withoutShard(PlacementCode state, int i) {
  const int dim = tensorDim(codeAt(state, i));
  const std::int64_t ranks = size(i);
  std::int64_t outer = factor(state, i);
  PlacementCode result = with(state, i, kReplicate);
  bool inside = false;
  for (int j = i + 1; j < ndim_; ++j) {
    if (!isShardedOn(state, j, dim)) continue;
    inside = true;
    const std::int64_t inner = factor(state, j);
    if (outer % (inner * size(j)) == 0) {
      outer /= size(j);
    } else if (inner % outer == 0) {
      const auto code = shardCode(dim, inner * ranks);
      if (!code) return std::nullopt;
      result = with(result, j, *code);
    } else {
      return std::nullopt;
    }
  }
  if (inside && !commutes(state, result, i, dim)) return std::nullopt;
  return result;
}

std::optional<PlacementCode> PlacementCodec::withShard(PlacementCode withoutShard, int i,
                                                       Code code) {
  const int dim = tensorDim(code);
  const std::int64_t ranks = size(i);
  PlacementCode result = with(withoutShard, i, code);
  std::int64_t outer = factor(result, i);
  bool inside = false;
  for (int j = i + 1; j < ndim_; ++j) {
    if (!isShardedOn(withoutShard, j, dim)) continue;
    inside = true;
    const std::int64_t inner = factor(withoutShard, j);
    if (outer % (inner * size(j)) == 0) {
      outer /= size(j);
    } else if (inner % (ranks * outer) == 0) {
      const auto rewritten = shardCode(dim, inner / ranks);
      if (!rewritten) return std::nullopt;
      result = with(result, j, *rewritten);
    } else {
      return std::nullopt;
    }
  }
  if (inside && !commutes(result, withoutShard, i, dim)) return std::nullopt;
  return result;
}

std::optional<PlacementCode> PlacementCodec::withInnerShard(PlacementCode withoutShard, int i,
                                                            int tensorDim) {
  const std::int64_t ranks = size(i);
  PlacementCode result = withoutShard;
  std::int64_t outer = 1;
  bool inside = false;
  for (int j = ndim_ - 1; j > i; --j) {
    if (!isShardedOn(withoutShard, j, tensorDim)) continue;
    inside = true;
    const std::int64_t inner = factor(withoutShard, j);
    if (outer % inner == 0) {
      outer *= size(j);
    } else if (inner % (ranks * outer) == 0) {
      const auto rewritten = shardCode(tensorDim, inner / ranks);
      if (!rewritten) return std::nullopt;
      result = with(result, j, *rewritten);
    } else {
      return std::nullopt;
    }
  }
  const auto code = shardCode(tensorDim, outer);
  if (!code) return std::nullopt;
  result = with(result, i, *code);
  if (inside && !commutes(result, withoutShard, i, tensorDim)) return std::nullopt;
  return result;
}

bool PlacementCodec::commutes(PlacementCode sharded, PlacementCode withoutShard, int i,
                              int tensorDim) {
  if (divides(sharded, tensorDim)) return true;
  PlacementCode shards = 0;
  for (int j = 0; j < ndim_; ++j) {
    if (isShardedOn(sharded, j, tensorDim)) shards = with(shards, j, codeAt(sharded, j));
  }
  auto& compared = compared_[shards];
  const unsigned bit = 1U << i;
  if ((compared.known & bit) == 0) {
    compared.known |= bit;
    if (sameParts(sharded, withoutShard, i, tensorDim)) compared.same |= bit;
  }
  return (compared.same & bit) != 0;
}

bool PlacementCodec::divides(PlacementCode state, int tensorDim) const {
  std::int64_t length = spec_->meta.shape[at(tensorDim)];
  for (int i = 0; i < ndim_; ++i) {
    if (!isShardedOn(state, i, tensorDim)) continue;
    if (length % (factor(state, i) * size(i)) != 0) return false;
    length /= size(i);
  }
  return true;
}

std::set<std::int64_t> PlacementCodec::lengthsOutside(PlacementCode state, int i,
                                                      int tensorDim) const {
  std::set<std::int64_t> lengths{spec_->meta.shape[at(tensorDim)]};
  for (int j = 0; j < i; ++j) {
    if (!isShardedOn(state, j, tensorDim)) continue;
    const DeviceMesh ranks = DeviceMesh::make({size(j)}).value();
    const Placement how = StridedShard{0, static_cast<int>(factor(state, j))};
    std::set<std::int64_t> parts;
    for (const auto length : lengths) {
      for (int rank = 0; rank < size(j); ++rank) {
        parts.insert(localShape({length}, ranks, {how}, rank).front());
      }
    }
    lengths = std::move(parts);
  }
  return lengths;
}

// Compares the elements of each group before and after. Shards further left leave parts of only a
// few lengths, so each length is compared once. Returns false if there would be too many pieces.
bool PlacementCodec::sameParts(PlacementCode sharded, PlacementCode withoutShard, int i,
                               int tensorDim) {
  constexpr std::int64_t kMostPieces = 1 << 11;
  std::vector<int> sizes;
  Placements with;
  Placements without;
  std::int64_t pieces = 1;
  for (int j = 0; j < ndim_; ++j) {
    if (!isShardedOn(sharded, j, tensorDim)) continue;
    if (j <= i) pieces = 1;
    pieces *= size(j);
    if (pieces * std::max(factor(sharded, j), factor(withoutShard, j)) > kMostPieces) return false;
    if (j < i) continue;
    sizes.push_back(size(j));
    with.push_back(StridedShard{0, static_cast<int>(factor(sharded, j))});
    without.push_back(StridedShard{0, static_cast<int>(factor(withoutShard, j))});
  }
  without.front() = Replicate{};
  const DeviceMesh mesh = DeviceMesh::make(std::move(sizes)).value();
  const auto groups = mesh.groups(0);
  const auto lengths = lengthsOutside(sharded, i, tensorDim);
  return std::all_of(lengths.begin(), lengths.end(), [&](const auto length) {
    return std::all_of(groups.rbegin(), groups.rend(), [&](const auto& group) {
      Runs together;
      partsCompared_ += static_cast<int>(group.size());
      for (const int rank : group) {
        const Runs part = ownedRuns({length}, mesh, with, rank).front();
        together.insert(together.end(), part.begin(), part.end());
      }
      return joined(together) == ownedRuns({length}, mesh, without, group.front()).front();
    });
  });
}

}  // namespace shardlens
