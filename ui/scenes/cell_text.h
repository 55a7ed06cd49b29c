#pragma once

#include <QFont>

namespace shardlens {

// Of numbers in cells of this width: smaller in narrower ones.
QFont cellFont(double width);
// How many characters of it such a cell has room for.
int cellCharacters(double width);

}  // namespace shardlens
