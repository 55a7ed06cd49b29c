#include "ui/scenes/cell_place.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

// Returns the nearest card in a direction, preferring cards in the same row or column.
std::optional<std::size_t> cardBeside(const ShardsScene& scene, std::size_t card, QPoint side) {
  const auto& places = scene.sizes.grid.places;
  const auto [row, column] = places[card];
  std::optional<std::size_t> best;
  std::pair<int, int> least;
  for (std::size_t i = 0; i < scene.cards.size(); ++i) {
    const int across = places[i].second - column;
    const int down = places[i].first - row;
    const int ahead = across * side.x() + down * side.y();
    const int aside = std::abs(across * side.y()) + std::abs(down * side.x());
    if (ahead > 0 && (!best || std::pair(aside, ahead) < least)) {
      best = i;
      least = {aside, ahead};
    }
  }
  return best;
}

std::int64_t lastOf(std::int64_t count) { return std::max<std::int64_t>(count - 1, 0); }

}  // namespace

bool isThere(const ShardsScene& scene, const CellPlace& place) {
  return place.card < scene.cards.size();
}

bool hasCell(const ShardsScene& scene, const CellPlace& place) {
  const ShardCard& card = scene.cards[place.card];
  return place.row >= 0 && place.column >= 0 && place.row < card.rows &&
         place.column < card.columns;
}

QRectF rectOf(const ShardsScene& scene, const CellPlace& place) {
  const ShardCard& card = scene.cards[place.card];
  return hasCell(scene, place) ? cellRect(scene.sizes, card, place.row, place.column) : card.rect;
}

CellPlace nearestCell(const ShardsScene& scene, CellPlace place) {
  const ShardCard& card = scene.cards[place.card];
  place.row = std::clamp<std::int64_t>(place.row, 0, lastOf(card.rows));
  place.column = std::clamp<std::int64_t>(place.column, 0, lastOf(card.columns));
  return place;
}

std::optional<CellPlace> placeAt(const ShardsScene& scene, QPointF point) {
  for (std::size_t i = 0; i < scene.cards.size(); ++i) {
    const ShardCard& card = scene.cards[i];
    if (!card.rect.contains(point)) {
      continue;
    }
    const QPointF inside = point - cellRect(scene.sizes, card, 0, 0).topLeft();
    return CellPlace{i,
                     static_cast<std::int64_t>(std::floor(inside.y() / scene.sizes.cell.height())),
                     static_cast<std::int64_t>(std::floor(inside.x() / scene.sizes.cell.width()))};
  }
  return std::nullopt;
}

std::optional<CellPlace> placeBeside(const ShardsScene& scene, const CellPlace& place, QPoint side,
                                     Stride stride) {
  const bool byCards = stride == Stride::Cards;
  const CellPlace to{place.card, place.row + side.y(), place.column + side.x()};
  if (!byCards && hasCell(scene, to)) {
    return to;
  }
  const auto card = cardBeside(scene, place.card, side);
  if (!card) {
    return std::nullopt;
  }
  const ShardCard& next = scene.cards[*card];
  const auto entered = [byCards](int direction, std::int64_t at, std::int64_t count) {
    const std::int64_t last = lastOf(count);
    return byCards || direction == 0 ? std::clamp<std::int64_t>(at, 0, last)
           : direction > 0           ? 0
                                     : last;
  };
  return CellPlace{*card, entered(side.y(), place.row, next.rows),
                   entered(side.x(), place.column, next.columns)};
}

}  // namespace shardlens
