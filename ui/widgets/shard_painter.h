#pragma once

#include "ui/scenes/shards_scene.h"

#include <vector>

class QPainter;

namespace shardlens {

// Draws the cards of a tensor's shards. Large cells are drawn one by one, small cells as an image.
// Keeps references to the painter and the scene.
struct ShardPainter {
  QPainter& painter;
  const ShardsScene& scene;

  // Draws a card without the cells for which `hidden`, indexed like ShardCard::cells, is true.
  void drawCard(const ShardCard& card, const std::vector<bool>& hidden = {}) const;
  void drawSign(const ReductionSign& sign) const;
  // Draws the keyboard cursor around a cell, or around a card without cells.
  void drawCursor(const QRectF& place) const;

 private:
  void drawFrame(const ShardCard& card) const;
  void drawCells(const ShardCard& card, const std::vector<bool>& hidden) const;
  void drawImage(const ShardCard& card) const;
  void drawPadding(const ShardCard& card) const;
};

}  // namespace shardlens
