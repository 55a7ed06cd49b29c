#include "ui/scenes/shards_scene.h"

#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the signs between a card and the partial values to its left and above it.
std::vector<ReductionSign> signsOf(const CardSizes& sizes, std::size_t index, const QRectF& card) {
  std::vector<ReductionSign> signs;
  const QPointF centre = card.center();
  if (const auto& sign = sizes.grid.before[index]; !sign.empty()) {
    signs.push_back({QPointF(card.left() - sizes.gapX / 2, centre.y()), toQString(sign)});
  }
  if (const auto& sign = sizes.grid.above[index]; !sign.empty()) {
    signs.push_back({QPointF(centre.x(), card.top() - sizes.gapY / 2), toQString(sign)});
  }
  return signs;
}

}  // namespace

const ShardCard* ShardsScene::cardOf(int rank) const {
  const auto found = std::find_if(cards.begin(), cards.end(), [rank](const ShardCard& card) {
    return std::binary_search(card.ranks.begin(), card.ranks.end(), rank);
  });
  return found == cards.end() ? nullptr : &*found;
}

ShardsScene layoutShards(const ShardsSource& source, QSizeF area, double magnified) {
  const TensorView& view = source.view;
  ShardsScene scene;
  if (view.record == nullptr || view.parts.empty()) {
    return scene;
  }
  scene.sizes = sizeCards(source, area, magnified);
  const CardSizes& sizes = scene.sizes;
  for (const auto& groups : source.copies) {
    for (const auto& ranks : groups) {
      const std::size_t index = scene.cards.size();
      const auto [row, column] = sizes.grid.places[index];
      const QPointF at(column * (sizes.width + sizes.gapX + sizes.sheets),
                       row * (sizes.height + sizes.gapY + sizes.sheets));
      ShardCard card = layoutCard(source, sizes, groups, ranks, at);
      const QRectF whole = card.rect.adjusted(0, 0, sizes.sheets, sizes.sheets);
      scene.size = scene.size.expandedTo(QSizeF(whole.right(), whole.bottom()));
      if (!sizes.style.bare) {
        for (ReductionSign& sign : signsOf(sizes, index, card.rect)) {
          scene.signs.push_back(std::move(sign));
        }
      }
      scene.cards.push_back(std::move(card));
    }
  }
  if (view.ranksLeft > 0) {
    scene.left = QStringLiteral("ranks from %1 on are not drawn (%2 of %3)")
                     .arg(view.parts.back().rank + 1)
                     .arg(view.ranksLeft)
                     .arg(view.mesh->size());
  }
  return scene;
}

void layCells(const ShardsSource& source, ShardsScene& scene, const QRectF& seen) {
  for (ShardCard& card : scene.cards) {
    layCells(source, scene.sizes, card, seen);
  }
}

}  // namespace shardlens
