#include "ui/scenes/whole_scene.h"

#include "core/model/spec.h"
#include "ui/scenes/cell_text.h"
#include "ui/scenes/element_colours.h"
#include "ui/text/format.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <memory>

namespace shardlens {

Grid gridOf(const Shape& shape) {
  if (shape.empty()) {
    return {1, 1};
  }
  if (shape.size() == 1) {
    return {shape[0], 1};
  }
  return {elementCount(Shape(shape.begin(), shape.end() - 1)), shape.back()};
}

WholeScene layoutWhole(const TensorView& view, const Assembled& whole, QSizeF area, bool dark) {
  WholeScene scene;
  if ((whole.values.empty() && !whole.isLarge) || area.width() <= 0 || area.height() <= 0) {
    return scene;
  }
  constexpr double kLabel = 18;
  constexpr double kGap = 8;
  constexpr double kCellGap = 2;
  constexpr double kLeft = 14;
  const Grid grid = gridOf(whole.shape);
  const double perRow = static_cast<double>(grid.columns);
  const double rows = static_cast<double>(grid.rows);
  const double room = (area.width() - kGap * (rows - 1)) / (rows * perRow);
  const double cell = std::clamp(room, 9.0, 46.0);
  const auto columns =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(area.width() / cell), 1, grid.columns);
  const double rowWidth = cell * static_cast<double>(columns);
  const auto across = std::clamp<std::int64_t>(
      static_cast<std::int64_t>((area.width() + kGap) / (rowWidth + kGap) + 1e-6), 1, grid.rows);
  const bool labelled = rowWidth >= 16 && !whole.shape.empty();
  const double foot = labelled ? kLabel : 6;
  const auto lines = (grid.rows + across - 1) / across;
  const auto fitting = [&](double height) {
    const double smallest = 12 + foot;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(height / smallest), 1, lines);
  };
  const bool all = fitting(area.height()) == lines && columns == grid.columns;
  const double inside = area.height() - (all ? 0 : kLeft);
  const auto shownLines = fitting(inside);
  const double height = std::clamp(inside / static_cast<double>(shownLines) - foot, 12.0, 30.0);
  const auto shown = std::min(grid.rows, shownLines * across);
  QStringList left;
  if (shown < grid.rows) {
    left << countText(grid.rows - shown, QStringLiteral("more row"), QStringLiteral("more rows"));
  }
  if (columns < grid.columns) {
    left << countText(grid.columns - columns, QStringLiteral("more column"),
                      QStringLiteral("more columns"));
  }
  if (!left.isEmpty()) {
    scene.left = QStringLiteral("and ") + left.join(QStringLiteral(", "));
    scene.leftRect = QRectF(0, area.height() - kLeft, area.width(), kLeft);
  }

  const auto elements =
      whole.isLarge ? std::make_unique<WholeElements>(view) : std::unique_ptr<WholeElements>();
  const auto valueOf = [&](std::int64_t flat) {
    return elements == nullptr ? whole.values[static_cast<std::size_t>(flat)]
                               : elements->at(coordinates(whole.shape, flat)).value_or(0);
  };
  const ElementColours colours(view, dark);
  const bool withText = cell >= 28 && height >= 16;
  const int characters = cellCharacters(cell - kCellGap);
  for (std::int64_t row = 0; row < shown; ++row) {
    const double x = static_cast<double>(row % across) * (rowWidth + kGap);
    const double y = static_cast<double>(row / across) * (height + foot);
    const auto tableRowOf = [&](std::int64_t flat) {
      return whole.tableRows.empty() ? -1 : whole.tableRows[static_cast<std::size_t>(flat)];
    };
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto flat = row * grid.columns + column;
      const double value = valueOf(flat);
      scene.cells.push_back(
          {QRectF(x + cell * static_cast<double>(column), y, cell - kCellGap, height),
           colours.whole(flat, tableRowOf(flat)),
           withText ? fittedNumber(value, view.record->dtype, characters) : QString(),
           !std::isfinite(value)});
    }
    if (labelled) {
      const auto id = view.origin ? tableRowOf(row * grid.columns) : -1;
      const QString word = id >= 0 && rowWidth >= 34 ? QStringLiteral("id ") : QString();
      scene.labels.emplace_back(
          QRectF(x, y + height, rowWidth - kCellGap, kLabel - 2),
          id >= 0 ? word + QString::number(id) : colours.wholeLabel(row * grid.columns));
    }
    scene.size = scene.size.expandedTo(QSizeF(x + rowWidth, y + height + foot));
  }
  return scene;
}

}  // namespace shardlens
