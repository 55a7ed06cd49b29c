#pragma once

#include "core/model/placement.h"

#include <map>
#include <string>
#include <string_view>

namespace shardlens {

// The part of a tensor of a checkpoint that a rank loads into a plain tensor.
struct LoadedSlice {
  Shape offsets = {};
  Shape sizes = {};
  bool operator==(const LoadedSlice&) const = default;
};

// The detail of a Result with the role "loaded".
struct LoadRecord {
  std::string stored = {};                      // name in the checkpoint; empty if malformed
  Shape whole = {};                             // shape in the checkpoint
  LoadedSlice slice = {};                       // of each rank of the event, or of the first one
  std::map<int, LoadedSlice> sliceByRank = {};  // merged recordings, if the ranks' slices differ
};
// Malformed slices read as missing. All slices have the dimensions of `whole`.
LoadRecord readLoad(std::string_view detail);
// Returns the detail of a load of which the ranks recorded other details.
std::string joinedLoadDetail(const std::map<int, std::string_view>& detailByRank);

}  // namespace shardlens
