#pragma once

#include <QString>

namespace shardlens {

// Shortens the placements in a text, for a place in which the whole text does not fit:
// "(S(0), MaskP(sum, [10, 3], 0)) -> R" becomes "S0·MaskP→R", and in JAX's notation
// "P(None, 'tp', unreduced={'dp'})" becomes "P(-,tp,Σ{dp})". Returns the text unchanged if it has
// no placements in these notations.
QString compactPlacements(const QString& text);

}  // namespace shardlens
