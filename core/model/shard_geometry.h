#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// A contiguous range of global indices along one tensor dimension. Its length is at least 1.
struct Run {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  bool operator==(const Run&) const = default;
};
// The indices that a rank has along one tensor dimension, in local order.
using Runs = std::vector<Run>;

// Returns the number of indices.
std::int64_t totalLength(const Runs& runs);
// Converts a local index along one dimension to the global one. Returns -1 past the end. Requires
// local >= 0.
std::int64_t globalIndex(const Runs& runs, std::int64_t local);
// Converts a global index along one dimension to the local one. Returns -1 if the runs do not
// include it.
std::int64_t localIndex(const Runs& runs, std::int64_t global);
// Appends a run, or extends the last one if the new run begins at its end. Does not merge with
// earlier runs.
void appendRun(Runs& runs, Run run);
// Returns the indices that are in both. The runs of both must be ascending.
Runs commonRuns(const Runs& a, const Runs& b);
// Returns the positions of `part` counted along `whole`: {3,2} within {1,1},{3,4} is {1,2}. Both
// must be ascending, and each run of `part` must lie inside one run of `whole`.
Runs runsWithin(const Runs& part, const Runs& whole);

// A contiguous range of indices along one dimension, possibly empty.
struct Chunk {
  std::int64_t begin = 0;
  std::int64_t length = 0;
};
// Returns chunk number `part` (from 0) of n elements in `parts` (1 or more) chunks. Each has ceil(n
// / parts) elements; the last ones may be shorter or empty. An empty chunk begins at n.
Chunk chunkOf(std::int64_t n, int parts, int part);

// A list of runs for each tensor dimension; the block consists of their Cartesian product. The runs
// of a dimension are empty if the rank has no index of it.
using Block = std::vector<Runs>;

// Returns the global indices that a rank of the mesh has. Dimensions that no placement shards are
// whole. Throws CheckFailed unless there is one placement per mesh dimension. Requires
// mesh.has(rank) and tensor dimensions that exist (see verifyPlacements()).
//
//   [5] under (S(0), S(0)) on a 2x2 mesh: rank 0 {0,2}, rank 1 {2,1}, rank 2 {3,1}, rank 3 {4,1}
//   [8] under (SS(0, 2), S(0)), 2x2:      rank 0 {0,2}, rank 1 {4,2}, rank 2 {2,2}, rank 3 {6,2}
Block ownedRuns(const Shape& shape, const DeviceMesh& mesh, const Placements& placements, int rank);

// Returns the table rows that a rank owns under `masked`: the dimension offsetDim is sharded over
// every mesh dimension that has a MaskPartial in `placements`. Returns {0, 0} if the rank owns no
// row.
Chunk ownedRows(const DeviceMesh& mesh, const Placements& placements, const MaskPartial& masked,
                int rank);

// Returns the shape of a rank's local tensor: the totalLength() of each dimension of ownedRuns().
// Has the same requirements but does not check them.
Shape localShape(const Shape& shape, const DeviceMesh& mesh, const Placements& placements,
                 int rank);

}  // namespace shardlens
