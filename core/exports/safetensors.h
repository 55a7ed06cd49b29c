#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace shardlens {

// Writes what the ranks hold, after a step, of the tensors that it read and made, in the format of
// safetensors: "rank0/y" is rank 0's shard of y, and the metadata have each tensor's shape and
// placements. Of several tensors of a name the later ones have their number in the recording too,
// "rank0/x'#12". One shard is in memory at a time. Gives the names of those of which only
// statistics were captured, which are left out; refuses when that is all of them.
Result<std::vector<std::string>> writeSafetensors(const Journal& journal, int step,
                                                  std::ostream& out);

}  // namespace shardlens
