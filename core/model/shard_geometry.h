#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// A stretch of neighbouring global indices.
struct Run {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  bool operator==(const Run&) const = default;
};
// What a rank holds along one tensor dimension, in the order in which it holds it.
using Runs = std::vector<Run>;

std::int64_t totalLength(const Runs& runs);
// The global index along one dimension of the local one; -1 outside.
std::int64_t globalIndex(const Runs& runs, std::int64_t local);
// The local index along one dimension of the global one; -1 where it is not held.
std::int64_t localIndex(const Runs& runs, std::int64_t global);
// Lengthens the last run where the next one begins at its end.
void appendRun(Runs& runs, Run run);
// The indices that both hold, for runs in ascending order.
Runs commonRuns(const Runs& a, const Runs& b);
// Where the indices of a part stand among those of a whole that holds them all, counted along it:
// {3,2} within {1,1},{3,4} is {1,2}.
Runs runsWithin(const Runs& part, const Runs& whole);

struct Chunk {
  std::int64_t begin = 0;
  std::int64_t length = 0;
};
// The part-th of `parts` pieces of n elements: each ceil(n / parts) long, the last short or empty.
Chunk chunkOf(std::int64_t n, int parts, int part);

// A list of runs for each dimension of a tensor: the elements where they cross.
using Block = std::vector<Runs>;

// The global indices that a rank holds.
//
//   [5] under (S(0), S(0)) on a 2x2 mesh: rank 0 {0,2}, rank 1 {2,1}, rank 2 {3,1}, rank 3 {4,1}
//   [8] under (SS(0, 2), S(0)), 2x2:      rank 0 {0,2}, rank 1 {4,2}, rank 2 {2,2}, rank 3 {6,2}
Block ownedRuns(const Shape& shape, const DeviceMesh& mesh, const Placements& placements, int rank);

// The rows of a looked-up table that a rank holds: those that all mesh dimensions masked under
// `placements` cut out together.
Chunk ownedRows(const DeviceMesh& mesh, const Placements& placements, const MaskPartial& masked,
                int rank);

Shape localShape(const Shape& shape, const DeviceMesh& mesh, const Placements& placements,
                 int rank);

}  // namespace shardlens
