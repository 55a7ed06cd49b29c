#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/model/rank_ranges.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Ranks as a person selects them: a list, "0-3,8", or coordinates on the axes of a mesh,
// "pp=2 dp=1,3 tp=*". An axis that is not named has all its values. "*" alone is all ranks.
struct RankSelector {
  struct Axis {
    std::string name;
    std::vector<RankRange> values;  // ascending; empty: all
  };
  std::vector<Axis> axes;
  std::vector<RankRange> ranks;  // if there are no axes; empty: all
};

// Parses a selector. Brackets around it are optional: "(pp=2 dp=1)". Returns an error for other
// text and for an axis that is named twice.
Result<RankSelector> parseRankSelector(std::string_view text);

// Returns true if the text selects by axes, so that it needs a mesh.
inline bool selectsByAxis(std::string_view text) { return text.find('=') != text.npos; }

// Returns the selected ranks, ascending. Returns an error if the mesh has no such axis, coordinate
// or rank. Without a mesh, `ranks` of the selector are returned; axes, and all ranks, are errors.
Result<std::vector<RankRange>> selectRanks(const RankSelector& selector,
                                           const std::optional<DeviceMesh>& mesh);
// As parseRankSelector() and selectRanks().
Result<std::vector<RankRange>> selectRanks(std::string_view text,
                                           const std::optional<DeviceMesh>& mesh);

// Returns the axes that select these ranks, "pp=2 dp=1,3", without those that have all values. ""
// for all ranks of the mesh, and if axes cannot select them.
std::string axesSelecting(const std::vector<RankRange>& ranks, const DeviceMesh& mesh);

}  // namespace shardlens
