#pragma once

#include "ui/scenes/tensor_view.h"

#include <optional>

namespace shardlens {

// Which table the rows of a tensor come from, so that a looked-up row keeps the colour of the row
// it was. Stepwise, the tensor shares its mask with the ids that were looked up; fused, the
// operator that made it names them. What a redistribution makes of such a tensor keeps its origin.
std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// The table that a tensor of ids is looked up in: masked ids know it, and of others the program
// says it before they are.
std::optional<FetchedTable> fetchedTable(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// Whether these are ids that were masked for a look-up. Each rank counts them in its own rows.
bool isLocalIds(const Journal& journal, const Snapshot& snapshot, TensorId id);

// The id that the row of an element was looked up for, where this rank has it.
std::optional<std::int64_t> idAt(const Journal& journal, const Snapshot& snapshot,
                                 const TensorView& view, const RankPart& part, std::int64_t flat);

// The row of the table that an element shows on a rank; -1 when that is not known. A row whose id
// belongs to another rank shows the first row of this one, as DTensor looks it up.
std::int64_t tableRow(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                      const RankPart& part, std::int64_t flat);

// The row of the fetched table that an id means on a rank; -1 when that is not known.
std::int64_t fetchedRow(const TensorView& view, const RankPart& part, std::int64_t flat);

// For each row of a pending tensor whether its id belongs to another rank.
std::vector<bool> foreignRows(const Journal& journal, const Snapshot& snapshot,
                              const TensorView& view, const RankPart& part);

}  // namespace shardlens
