#pragma once

#include "core/inference/inference.h"

#include <string>
#include <vector>

namespace shardlens {

// Returns the placement as text, "S(0)", "?" if it is unknown, "!" if facts about it do not agree.
std::string placementText(const InferredPlacement& inferred);
// Returns the placements of a tensor along these axes, "tp S(0), dp R".
std::string placementsText(const std::vector<RankAxis>& axes,
                           const std::vector<InferredPlacement>& inferred);
// Returns why, along an axis: "all_gather at attention.py:81", "equal values at train.py:20",
// "equal hashes on ranks 0-3 at step 2 at train.py:20". Empty if the placement is unknown.
std::string evidenceText(const Journal& journal, const RankAxis& axis,
                         const InferredPlacement& inferred);
// Returns the name and the groups: "axis 1 (ranks 0-2|3-5)". Of many groups, only the first ones.
std::string axisText(const RankAxis& axis);
// Returns the name of a tensor with the ranks of the stage that has it: "blocks.0.up (ranks 2,3)";
// the name if `ranks` is empty.
std::string nameText(const std::string& name, const std::vector<int>& ranks);

}  // namespace shardlens
