#pragma once

#include "core/model/shard_geometry.h"
#include "core/trace/journal/journal.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/snapshot/snapshot.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

// The shard of a tensor on one rank at one position.
struct RankPart {
  int rank = 0;
  RankLocation where = RankLocation::Here;
  Shape local;                               // shape of the shard
  std::vector<Runs> runs;                    // global indices per dimension; empty if unknown
  std::shared_ptr<const ValueRecord> value;  // null if nothing was captured
  std::vector<bool> away;  // for each row whether it is masked on this rank; empty without a mask

  // Returns true if the elements were captured, not only statistics.
  bool hasData() const { return value != nullptr && value->data && !value->data->empty(); }
  // Returns a local element by its row-major index. Requires hasData().
  double element(DType dtype, std::int64_t flat) const {
    return elementAt(dtype, value->data->data(), flat);
  }
  // Returns true if the element's row is masked on this rank.
  bool masked(std::int64_t flat) const;
  // Returns the row-major local index of a global element, or nullopt if this rank does not hold
  // it.
  std::optional<std::int64_t> flatOf(const Shape& global) const;
};

// The embedding lookup that produced a tensor: the ids and the table. Each row of the tensor has
// an id. With fused masking there are no local ids; each rank derives the rows that it owns.
struct LookupOrigin {
  TensorId ids = 0;    // the tensor of global ids
  TensorId local = 0;  // ids counted within each rank's rows, 0 if masked; 0: no such tensor
  Shape table;         // shape of the table
  int dim = 0;         // the table dimension that ids index
};

// The table that a tensor of ids indexes, and the dimension that the ids count along.
struct FetchedTable {
  Shape shape;
  int dim = 0;
};

// A tensor at one position of a recording, with the shard of each rank. The view copies what it
// needs from the journal, so it does not change when the journal grows.
struct TensorView {
  static constexpr int kMostRanks = 4096;  // maximum number of parts; a mesh may have millions

  std::shared_ptr<const TensorRecord> record;  // null: the tensor does not exist at the position
  std::optional<DeviceMesh> mesh;  // the tensor's mesh, one dimension per placement; may be unknown
  std::vector<RankPart> parts;     // ascending by rank; includes ranks outside of the mesh
  int ranksLeft = 0;               // number of ranks of the mesh without a part
  std::optional<LookupOrigin> origin;
  std::optional<FetchedTable> fetches;  // set for a tensor of ids
  bool localIds = false;                // ids counted within each rank's rows, which are not summed
  bool isInferred = false;              // the placements were inferred, see placeInferred()
  bool changed = false;                 // the current event changed the values
  EventId valuesOf = 0;                 // the event that changed the values last

  // Groups the ranks of the mesh that hold copies of the same shard because of R placements, in the
  // order of mesh coordinates. One group per rank if the mesh is unknown.
  std::vector<std::vector<int>> copies() const;
  std::vector<int> outside() const;      // ranks that are not in the mesh
  const RankPart* part(int rank) const;  // null if the rank has no part
  // Returns the part of the first rank with a captured value, else of the first rank. All ranks
  // must have parts.
  const RankPart& shown(const std::vector<int>& ranks) const;
};

// Reads a tensor at the snapshot. Values that did not change since `before`, an earlier view of the
// same journal, are shared with it. If the tensor does not exist, the record is null.
TensorView viewTensor(const Journal& journal, const Snapshot& snapshot, TensorId id,
                      const TensorView* before = nullptr);
// Returns the view with each rank's previous value, or null values if there is none of the same
// shape.
TensorView beforeThat(const Journal& journal, TensorView view);

// Returns the value of the tensor on a rank with its elements, or null if nothing was captured.
std::shared_ptr<const ValueRecord> wholeValue(const Journal& journal, TensorId id, int rank,
                                              EventId position);

}  // namespace shardlens
