#pragma once

#include "ui/scenes/assembled.h"

#include <QString>

namespace shardlens {

// Texts on a shard's card, and texts shown in place of cells.

// Returns the global indices that the rank holds along the sharded dimensions: "rows 3–5",
// "dim 0: 0–1, dim 2: 3–5". For a masked tensor, the ids whose table rows it owns: "ids 0–2".
QString ownedText(const TensorView& view, const RankPart& part);

// Returns the note beside a card's title: how its copies differ, or what it holds, or the number of
// copies. `ranks` must be an element of `groups`, not a copy, because addresses are compared.
QString cardNote(const TensorView& view, const std::vector<std::vector<int>>& groups,
                 const std::vector<int>& ranks);

// Returns the reason why a shard has no cells, on up to two lines, or an empty string if it has.
QString emptyText(const Journal& journal, const TensorView& view, const RankPart& part);

// Returns statistics of a shard: "2 NaN, -0.97 to 0.59, mean -0.25". Omits items from the end that
// do not fit in `width` pixels. Requires a captured value.
QString figuresText(const RankPart& part, double width);

// Returns "1 row fewer than the largest shard; DTensor pads the shard before sending it". One of
// the counts may be 0 or negative and is then omitted.
QString paddingText(std::int64_t rows, std::int64_t columns);

// Describes why the whole tensor is not assembled. Empty for Gap::None.
QString gapText(Gap gap);

// Returns the first element of two unequal copies that differs: "[1, 1]: 5, not 4". "different
// shape" if the shapes differ, "other values" if elements were not captured.
QString differenceText(const TensorView& view, const RankPart& part, const RankPart& from);

// Returns the global index of a local element, or its local index if the global one is unknown.
Shape globalPlace(const RankPart& part, std::int64_t flat);

// Returns an element with all its digits. Requires RankPart::hasData().
QString valueText(const TensorView& view, const RankPart& part, std::int64_t flat);

}  // namespace shardlens
