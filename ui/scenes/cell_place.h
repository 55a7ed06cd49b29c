#pragma once

#include "ui/scenes/shards_scene.h"

#include <QPoint>
#include <cstdint>
#include <optional>

namespace shardlens {

// A cell of a card of a scene, by its place; of an empty card, the card.
struct CellPlace {
  std::size_t card = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

bool isThere(const ShardsScene& scene, const CellPlace& place);
// These are of places that are there.
bool hasCell(const ShardsScene& scene, const CellPlace& place);
QRectF rectOf(const ShardsScene& scene, const CellPlace& place);
// In its card, the nearest that there is.
CellPlace nearestCell(const ShardsScene& scene, CellPlace place);

// The nearest cell of the card at a point of the scene; it may be beside the card's cells.
std::optional<CellPlace> placeAt(const ShardsScene& scene, QPointF point);

// The cell beside this one, a step that way: in a card as far as there are cells, then at the edge
// of the next card, or at once where it goes by cards. None where the scene ends.
enum class Stride { Cells, Cards };
std::optional<CellPlace> placeBeside(const ShardsScene& scene, const CellPlace& place, QPoint side,
                                     Stride stride);

}  // namespace shardlens
