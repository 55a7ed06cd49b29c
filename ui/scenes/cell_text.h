#pragma once

#include <QFont>

namespace shardlens {

// Returns the font of numbers in cells of this width. Narrower cells have a smaller font, and never
// more characters than wider cells.
QFont cellFont(double width);
// Returns the number of digits of that font that fit in the cell, at most 8; 0 or less if none
// fits.
int cellCharacters(double width);
// Returns the minimum width of a cell for this number of characters, which is at most 6.
double cellWidth(int characters);

}  // namespace shardlens
