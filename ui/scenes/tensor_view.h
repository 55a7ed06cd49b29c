#pragma once

#include "core/model/shard_geometry.h"
#include "core/trace/journal/journal.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/snapshot/snapshot.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

// What one rank holds of a tensor at one position.
struct RankPart {
  int rank = 0;
  Whereabouts where = Whereabouts::Here;
  Shape local;
  std::vector<Runs> runs;  // its global indices; empty when the recording cannot tell
  std::shared_ptr<const ValueRecord> value;
  std::vector<bool> away;  // for each row whether it is masked here; none where nothing is

  bool hasData() const { return value != nullptr && value->data && !value->data->empty(); }
  double element(DType dtype, std::int64_t flat) const {
    return elementAt(dtype, value->data->data(), flat);
  }
  // Whether this element lies in a row that is masked on this rank.
  bool masked(std::int64_t flat) const;
  // Where it holds this element of the whole, row-major; none where it does not.
  std::optional<std::int64_t> flatOf(const Shape& global) const;
};

// A table that the rows of a tensor were looked up in: each of its leading elements has an id.
// Where masking is fused there are no local ids, but every rank can tell which rows it owns.
struct LookupOrigin {
  TensorId ids = 0;    // the tensor of ids, as they were written
  TensorId local = 0;  // the ids as each rank counts them, masked ones 0; or none
  Shape table;
  int dim = 0;
};

// The table whose rows ids name, and the dimension that they count along.
struct FetchedTable {
  Shape shape;
  int dim = 0;
};

// A tensor at one position of a recording, rank by rank. It stays as it is when the journal grows.
struct TensorView {
  static constexpr int kMostRanks = 4096;  // a mesh may have millions

  std::shared_ptr<const TensorRecord> record;
  std::optional<DeviceMesh> mesh;  // the one it lies on, with a placement for each dimension
  std::vector<RankPart> parts;     // by rank; also of ranks outside of its mesh
  int ranksLeft = 0;               // of its mesh, that are not among the parts
  std::optional<LookupOrigin> origin;
  std::optional<FetchedTable> fetches;  // of a tensor of ids
  bool localIds = false;  // ids as each rank counts its own rows: no sum of them is ever taken
  bool changed = false;   // its values came with the current event
  EventId valuesOf = 0;   // with which they came

  // Rank lists that hold the same elements because of R placements.
  std::vector<std::vector<int>> copies() const;
  std::vector<int> outside() const;  // the ranks that are not in its mesh
  const RankPart* part(int rank) const;
  // The first of these that the recording has values of; else the first.
  const RankPart& shown(const std::vector<int>& ranks) const;
};

// Values that did not change since `before`, of the same journal, are not read again.
TensorView viewTensor(const Journal& journal, const Snapshot& snapshot, TensorId id,
                      const TensorView* before = nullptr);
// The same tensor with the values that each rank had before; without any where it had none.
TensorView beforeThat(const Journal& journal, TensorView view);

// What the rank holds of the tensor, with its elements; null where nothing was captured.
std::shared_ptr<const ValueRecord> wholeValue(const Journal& journal, TensorId id, int rank,
                                              EventId position);

}  // namespace shardlens
