#pragma once

#include "ui/scenes/shards_scene.h"

#include <QPoint>
#include <cstdint>
#include <optional>

namespace shardlens {

// The position of a cell in a scene: the index of its card, and its row and column. A position
// outside the cells denotes the card itself.
struct CellPlace {
  std::size_t card = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

// Returns true if the scene has the card. The other functions that take a CellPlace require this.
bool isThere(const ShardsScene& scene, const CellPlace& place);
// Returns true if the card has a cell at this row and column.
bool hasCell(const ShardsScene& scene, const CellPlace& place);
// Returns the rectangle of the cell, or of the card if it has no such cell.
QRectF rectOf(const ShardsScene& scene, const CellPlace& place);
// Clamps row and column to the cells of the card; (0, 0) if it has none.
CellPlace nearestCell(const ShardsScene& scene, CellPlace place);

// Returns the card at a point with the row and column there, which may be outside the card's cells.
// nullopt if there is no card.
std::optional<CellPlace> placeAt(const ShardsScene& scene, QPointF point);

// Returns the next cell in the direction `side`, such as (1, 0) for right. At the edge of a card,
// or always with Stride::Cards, moves to the nearest card in that direction. nullopt if there is
// none.
enum class Stride { Cells, Cards };
std::optional<CellPlace> placeBeside(const ShardsScene& scene, const CellPlace& place, QPoint side,
                                     Stride stride);

}  // namespace shardlens
