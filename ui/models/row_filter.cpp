#include "ui/models/row_filter.h"

#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {

RowFilter rowsWith(const QStringList& words) {
  if (words.isEmpty()) {
    return {};
  }
  return [words](const view::Row& row) {
    QStringList cells;
    for (const view::Cell& cell : row.cells) {
      cells << toQString(cell.text);
    }
    return std::all_of(words.begin(), words.end(), [&cells](const QString& word) {
      return std::any_of(cells.begin(), cells.end(), [&word](const QString& cell) {
        return cell.contains(word, Qt::CaseInsensitive);
      });
    });
  };
}

}  // namespace shardlens
