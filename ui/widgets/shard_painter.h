#pragma once

#include "ui/scenes/shards_scene.h"

#include <vector>

class QPainter;

namespace shardlens {

// How the cards of a tensor's shards are drawn: their cells one by one where they are large, and as
// an image where they are small.
struct ShardPainter {
  QPainter& painter;
  const ShardsScene& scene;

  // Of the cells those that `hidden` does not name, by their place among the card's.
  void drawCard(const ShardCard& card, const std::vector<bool>& hidden = {}) const;
  void drawSign(const TermSign& sign) const;
  // Around the cell, or the card where it has none, that the keyboard is at.
  void drawCursor(const QRectF& place) const;

 private:
  void drawFrame(const ShardCard& card) const;
  void drawCells(const ShardCard& card, const std::vector<bool>& hidden) const;
  void drawImage(const ShardCard& card) const;
  void drawPadding(const ShardCard& card) const;
};

}  // namespace shardlens
