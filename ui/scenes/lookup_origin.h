#pragma once

#include "ui/scenes/tensor_view.h"

#include <optional>

namespace shardlens {

// Which table the rows of a tensor come from, so that a looked-up row keeps the colour of the row
// it was: the tensor shares its mask with the ids that were looked up. What a redistribution makes
// of such a tensor keeps its origin.
std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// The row of the table that an element shows on a rank; -1 when that is not known.
std::int64_t tableRow(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                      const RankPart& part, std::int64_t flat);

}  // namespace shardlens
