#pragma once

#include "ui/scenes/assembled.h"

#include <QString>

namespace shardlens {

// What stands in the head of a shard's card, and instead of cells where there are none.

// Which global indices it holds, along the dimensions that are cut, or of the table whose rows it
// can answer for: "rows 3–5", "ids 0–2", "dim 0: 0–1, dim 2: 3–5".
QString ownedText(const TensorView& view, const RankPart& part);

// What a card says beside its title: of copies that differ where they do, else what it holds. The
// ranks are one of the groups that hold the same.
QString cardNote(const TensorView& view, const std::vector<std::vector<int>>& groups,
                 const std::vector<int>& ranks);

// Why there are no cells; empty where there are.
QString emptyText(const Journal& journal, const TensorView& view, const RankPart& part);

// What the values of a shard are like, in as many words as there is room for: "-0.97 to 0.59, mean
// -0.25, 2 NaN". It must have been captured.
QString figuresText(const RankPart& part, double width);

// "1 row short of the largest shard: DTensor pads it to send it". Either may be 0.
QString paddingText(std::int64_t rows, std::int64_t columns);

// Why the whole is not there; empty where it is.
QString gapText(Gap gap, const Shape& shape);

// The first element that differs: "[1, 1]: 5, not 4".
QString differenceText(const TensorView& view, const RankPart& part, const RankPart& from);

// Where an element stands in the whole; in its shard, where the recording cannot tell.
Shape globalPlace(const RankPart& part, std::int64_t flat);

// An element with all its digits.
QString valueText(const TensorView& view, const RankPart& part, std::int64_t flat);

}  // namespace shardlens
