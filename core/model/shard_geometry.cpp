#include "core/model/shard_geometry.h"

#include "core/base/check.h"

#include <algorithm>

namespace shardlens {
namespace {

// Appends the slice of `runs` at the positions of `chunk`, counted along the runs.
void appendSlice(const Runs& runs, Chunk chunk, Runs& out) {
  std::int64_t at = 0;
  const std::int64_t end = chunk.begin + chunk.length;
  for (const auto& run : runs) {
    const std::int64_t from = std::max(chunk.begin, at);
    const std::int64_t to = std::min(end, at + run.length);
    if (from < to) appendRun(out, {run.begin + from - at, to - from});
    at += run.length;
    if (at >= end) break;
  }
}

// Returns a rank's part of `runs` under a Shard (splitFactor 1) or StridedShard.
Runs sharded(const Runs& runs, int splitFactor, int parts, int part) {
  const std::int64_t n = totalLength(runs);
  Runs out;
  for (int piece = 0; piece < splitFactor; ++piece) {
    const Chunk outer = chunkOf(n, splitFactor, piece);
    if (outer.length == 0) break;
    const Chunk inner = chunkOf(outer.length, parts, part);
    appendSlice(runs, {outer.begin + inner.begin, inner.length}, out);
  }
  return out;
}

}  // namespace

void appendRun(Runs& runs, Run run) {
  if (!runs.empty() && runs.back().begin + runs.back().length == run.begin) {
    runs.back().length += run.length;
  } else {
    runs.push_back(run);
  }
}

std::int64_t totalLength(const Runs& runs) {
  std::int64_t n = 0;
  for (const auto& run : runs) n += run.length;
  return n;
}

std::int64_t globalIndex(const Runs& runs, std::int64_t local) {
  for (const auto& run : runs) {
    if (local < run.length) return run.begin + local;
    local -= run.length;
  }
  return -1;
}

std::int64_t localIndex(const Runs& runs, std::int64_t global) {
  std::int64_t before = 0;
  for (const auto& run : runs) {
    if (global >= run.begin && global < run.begin + run.length) return before + global - run.begin;
    before += run.length;
  }
  return -1;
}

Chunk chunkOf(std::int64_t n, int parts, int part) {
  const std::int64_t size = (n + parts - 1) / parts;
  const std::int64_t begin = std::min(n, size * part);
  return {begin, std::min(n, begin + size) - begin};
}

Runs commonRuns(const Runs& a, const Runs& b) {
  Runs common;
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const std::int64_t leftEnd = left->begin + left->length;
    const std::int64_t rightEnd = right->begin + right->length;
    const std::int64_t from = std::max(left->begin, right->begin);
    const std::int64_t to = std::min(leftEnd, rightEnd);
    if (from < to) appendRun(common, {from, to - from});
    if (leftEnd < rightEnd) {
      ++left;
    } else {
      ++right;
    }
  }
  return common;
}

Runs runsWithin(const Runs& part, const Runs& whole) {
  Runs within;
  std::int64_t before = 0;
  auto piece = part.begin();
  for (const auto& run : whole) {
    for (; piece != part.end() && piece->begin < run.begin + run.length; ++piece) {
      appendRun(within, {before + piece->begin - run.begin, piece->length});
    }
    before += run.length;
  }
  return within;
}

Block ownedRuns(const Shape& shape, const DeviceMesh& mesh, const Placements& placements,
                int rank) {
  SL_CHECK(static_cast<int>(placements.size()) == mesh.ndim(), "a placement a mesh dimension");
  Block owned;
  owned.reserve(shape.size());
  for (const auto n : shape) owned.push_back(n > 0 ? Runs{{0, n}} : Runs{});
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    const auto tensorDim = shardedDim(placement);
    if (!tensorDim) continue;
    const auto* strided = std::get_if<StridedShard>(&placement);
    auto& runs = owned[static_cast<std::size_t>(*tensorDim)];
    runs = sharded(runs, strided != nullptr ? strided->splitFactor : 1, mesh.size(dim),
                   mesh.coordinate(rank, dim));
  }
  return owned;
}

Chunk ownedRows(const DeviceMesh& mesh, const Placements& placements, const MaskPartial& masked,
                int rank) {
  Placements shards;
  for (const auto& placement : placements) {
    shards.push_back(isMaskPartial(placement) ? Placement(Shard{masked.offsetDim})
                                              : Placement(Replicate{}));
  }
  const Block owned = ownedRuns(masked.offsetShape, mesh, shards, rank);
  const auto& rows = owned[static_cast<std::size_t>(masked.offsetDim)];
  return rows.empty() ? Chunk{} : Chunk{rows.front().begin, rows.front().length};
}

Shape localShape(const Shape& shape, const DeviceMesh& mesh, const Placements& placements,
                 int rank) {
  Shape local = shape;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    const auto tensorDim = shardedDim(placement);
    if (!tensorDim) continue;
    const int parts = mesh.size(dim);
    const int part = mesh.coordinate(rank, dim);
    auto& n = local[static_cast<std::size_t>(*tensorDim)];
    if (const auto* strided = std::get_if<StridedShard>(&placement)) {
      std::int64_t held = 0;
      for (int piece = 0; piece < strided->splitFactor; ++piece) {
        const Chunk outer = chunkOf(n, strided->splitFactor, piece);
        if (outer.length == 0) break;
        held += chunkOf(outer.length, parts, part).length;
      }
      n = held;
    } else {
      n = chunkOf(n, parts, part).length;
    }
  }
  return local;
}

}  // namespace shardlens
