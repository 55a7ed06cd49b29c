#pragma once

#include "core/model/shard_geometry.h"
#include "core/tensor/local/local_call.h"

#include <optional>

namespace shardlens {

// A fused lookup in a table with sharded rows: which rows each hosted rank owns.
class MaskedLookup {
 public:
  // Returns nullopt if the call masks nothing, see CachedCall::fusesMask.
  static std::optional<MaskedLookup> of(const LocalCall& call);

  // Returns the rows that a rank owns.
  Chunk rows(int rank) const { return ownedRows(*mesh_, *placements_, *masked_, rank); }
  // Returns the mesh dimensions that shard the rows.
  std::vector<int> meshDims() const;
  // Returns true if the recording captures the masks.
  bool looks() const { return looks_; }

 private:
  const DeviceMesh* mesh_ = nullptr;
  const Placements* placements_ = nullptr;
  const MaskPartial* masked_ = nullptr;
  bool looks_ = false;
};

}  // namespace shardlens
