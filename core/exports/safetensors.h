#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace shardlens {

// Writes the shards of the tensors that a step read or made, as they are after the step, in the
// safetensors format. The key of rank 0's shard of y is "rank0/y". If several tensors have one
// name, later ones also have their id: "rank0/x'#12". The metadata give shape and placements of
// each tensor. Holds the elements of one shard in memory at a time.
// Returns the names of the shards that were left out, because not all elements were captured or the
// format lacks the dtype. Returns an error if that leaves no shard.
Result<std::vector<std::string>> writeSafetensors(const Journal& journal, int step,
                                                  std::ostream& out);

}  // namespace shardlens
