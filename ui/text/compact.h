#pragma once

#include <QString>

namespace shardlens {

// Shortens the placements in a text, for a place in which the whole text does not fit:
// "(S(0), MaskP(sum, [10, 3], 0)) -> R" becomes "S0·MaskP→R". Returns the text unchanged if it has
// no placements in DTensor's notation.
QString compactPlacements(const QString& text);

}  // namespace shardlens
