#pragma once

#include <QFont>

namespace shardlens {

// Returns the font of numbers in cells of this width; narrower cells have a smaller font.
QFont cellFont(double width);
// Returns the number of digits of that font that fit in the cell, at most 8; 0 or less if none
// fits.
int cellCharacters(double width);

}  // namespace shardlens
