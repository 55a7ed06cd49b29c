#pragma once

#include "core/model/shard_geometry.h"
#include "core/tensor/local/local_call.h"

#include <optional>

namespace shardlens {

// A lookup of ids in a table whose rows are cut: what each hosted rank owns of them.
class MaskedLookup {
 public:
  // None where the call masks nothing: see CachedCall::fusesMask.
  static std::optional<MaskedLookup> of(const LocalCall& call);

  Chunk rows(int rank) const { return ownedRows(*mesh_, *placements_, *masked_, rank); }
  // Along which the rows are cut.
  std::vector<int> meshDims() const;
  // Whether the recording wants the masks.
  bool looks() const { return looks_; }

 private:
  const DeviceMesh* mesh_ = nullptr;
  const Placements* placements_ = nullptr;
  const MaskPartial* masked_ = nullptr;
  bool looks_ = false;
};

}  // namespace shardlens
