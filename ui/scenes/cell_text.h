#pragma once

#include <QFont>

namespace shardlens {

// Returns the font of numbers in cells of this width; narrower cells have a smaller font.
QFont cellFont(double width);
// Returns the number of characters of that font that fit in the cell.
int cellCharacters(double width);

}  // namespace shardlens
