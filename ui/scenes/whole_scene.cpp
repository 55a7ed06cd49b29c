#include "ui/scenes/whole_scene.h"

#include "ui/models/format.h"
#include "ui/scenes/element_colours.h"
#include "ui/scenes/shards_scene.h"

#include <algorithm>

namespace shardlens {

WholeScene layoutWhole(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                       const Assembled& whole, QSizeF area, bool dark) {
  WholeScene scene;
  if (whole.values.empty() || area.width() <= 0 || area.height() <= 0) {
    return scene;
  }
  constexpr double kLabel = 18;
  constexpr double kGap = 8;
  constexpr double kCellGap = 2;
  const Grid grid = gridOf(whole.shape);
  const double perRow = static_cast<double>(grid.columns);
  const double rows = static_cast<double>(grid.rows);
  const double room = (area.width() - kGap * (rows - 1)) / (rows * perRow);
  const double cell = std::clamp(room, 9.0, 46.0);
  const double rowWidth = std::min(cell * perRow, area.width());
  const auto across = std::clamp<std::int64_t>(
      static_cast<std::int64_t>((area.width() + kGap) / (rowWidth + kGap) + 1e-6), 1, grid.rows);
  const bool labelled = rowWidth >= 16 && !whole.shape.empty();
  const double foot = labelled ? kLabel : 6;
  const auto lines = (grid.rows + across - 1) / across;
  const double height = std::clamp(area.height() / static_cast<double>(lines) - foot, 12.0, 30.0);
  const auto fitting = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(area.height() / (height + foot)), 1, lines);
  const auto shown = std::min(grid.rows, fitting * across);
  const auto columns = std::min(grid.columns, static_cast<std::int64_t>(area.width() / cell));
  scene.left = grid.rows - shown;

  const ElementColours colours(journal, snapshot, view, dark);
  const bool withText = cell >= 28 && height >= 16;
  for (std::int64_t row = 0; row < shown; ++row) {
    const double x = static_cast<double>(row % across) * (rowWidth + kGap);
    const double y = static_cast<double>(row / across) * (height + foot);
    const auto idOf = [&](std::int64_t flat) {
      return whole.tableRows.empty() ? -1 : whole.tableRows[static_cast<std::size_t>(flat)];
    };
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto flat = row * grid.columns + column;
      const double value = whole.values[static_cast<std::size_t>(flat)];
      scene.cells.push_back(
          {QRectF(x + cell * static_cast<double>(column), y, cell - kCellGap, height),
           colours.whole(flat, idOf(flat)),
           withText ? fittedNumber(value, view.record->dtype, static_cast<int>((cell - 2) / 5.5))
                    : QString()});
    }
    if (labelled) {
      const auto id = idOf(row * grid.columns);
      const QString word = id >= 0 && rowWidth >= 34 ? QStringLiteral("id ") : QString();
      scene.labels.emplace_back(QRectF(x, y + height, rowWidth - kCellGap, kLabel - 2),
                                word + QString::number(id >= 0 ? id : row));
    }
    scene.size = scene.size.expandedTo(QSizeF(x + rowWidth, y + height + foot));
  }
  return scene;
}

}  // namespace shardlens
