#pragma once

#include "core/model/shard_geometry.h"
#include "core/tensor/local/local_call.h"

#include <optional>

namespace shardlens {

// The rows that each hosted rank owns in a fused lookup, one whose table has sharded rows and which
// masks ids itself. Must not outlive the call that it was made of.
class MaskedLookup {
 public:
  // Returns nullopt if the call masks nothing, see CachedCall::fusesMask. Throws CheckFailed if it
  // masks, but no placement of the first output is a MaskPartial.
  static std::optional<MaskedLookup> of(const LocalCall& call);

  // Returns the rows that a rank owns.
  Chunk rows(int rank) const { return ownedRows(*mesh_, *placements_, *masked_, rank); }
  // Returns the mesh dimensions that shard the rows, ascending.
  std::vector<int> meshDims() const;
  // Returns true if the recording captures values, so that the kernel must also return its masks.
  // False without data.
  bool looks() const { return looks_; }

 private:
  const DeviceMesh* mesh_ = nullptr;
  const Placements* placements_ = nullptr;
  const MaskPartial* masked_ = nullptr;
  bool looks_ = false;
};

}  // namespace shardlens
