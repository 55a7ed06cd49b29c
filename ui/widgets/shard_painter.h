#pragma once

#include "ui/scenes/shards_scene.h"

#include <vector>

class QPainter;

namespace shardlens {

// Draws the cards of a tensor's shards, in the coordinates of the scene. Changes the painter's pen,
// brush, font and render hints. Keeps references to the painter and the scene.
struct ShardPainter {
  QPainter& painter;
  const ShardsScene& scene;

  // Draws a card without the cells for which `hidden`, indexed like ShardCard::cells, is true; a
  // cell beyond its end is drawn. Small cells are drawn as one image if `hidden` is empty.
  void drawCard(const ShardCard& card, const std::vector<bool>& hidden = {}) const;
  // Draws the sign between two partial values as a disc around its centre.
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
