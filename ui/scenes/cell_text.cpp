#include "ui/scenes/cell_text.h"

#include "ui/scenes/theme.h"

#include <QFontMetricsF>
#include <algorithm>

namespace shardlens {

QFont cellFont(double width) {
  return codeFont(width < 36 ? 9 : width < 44 ? 10 : width < 56 ? 11 : 12);
}

int cellCharacters(double width) {
  constexpr double kMargin = 4;  // so that the numbers of adjacent cells stay apart
  constexpr int kMost = 8;       // the tooltip has the exact value
  const double digit = QFontMetricsF(cellFont(width)).horizontalAdvance(u'0');
  return std::min(kMost, static_cast<int>((width - kMargin) / digit));
}

double cellWidth(int characters) {
  double width = 8;
  while (cellCharacters(width) < characters) {
    width += 0.5;
  }
  return width;
}

}  // namespace shardlens
