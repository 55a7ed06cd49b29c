#include "ui/scenes/cell_text.h"

#include "ui/scenes/theme.h"

#include <QFontMetricsF>

namespace shardlens {

QFont cellFont(double width) {
  return codeFont(width < 32 ? 9 : width < 40 ? 10 : width < 56 ? 11 : 12);
}

int cellCharacters(double width) {
  return static_cast<int>(width / QFontMetricsF(cellFont(width)).horizontalAdvance(u'0'));
}

}  // namespace shardlens
