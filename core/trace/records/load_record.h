#pragma once

#include "core/base/box.h"

#include <map>
#include <string>
#include <string_view>

namespace shardlens {

// The detail of a Result with the role "loaded": the slice of a tensor of a checkpoint that a rank
// loads into a plain tensor.
struct LoadRecord {
  std::string stored = {};              // name in the checkpoint; empty if malformed
  Extents whole = {};                   // shape in the checkpoint
  Box slice = {};                       // of each rank of the event, or of the first one
  std::map<int, Box> sliceByRank = {};  // merged recordings, if the ranks' slices differ
};
// Malformed slices read as missing. All slices have the dimensions of `whole`.
LoadRecord readLoad(std::string_view detail);
// Returns the detail of a load of which the ranks recorded other details.
std::string joinedLoadDetail(const std::map<int, std::string_view>& detailByRank);

}  // namespace shardlens
