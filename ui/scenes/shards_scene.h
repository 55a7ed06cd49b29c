#pragma once

#include "ui/scenes/shard_card.h"

#include <QPointF>
#include <QString>
#include <vector>

namespace shardlens {

// A sign between two partial values that are not reduced yet.
struct ReductionSign {
  QPointF centre;
  QString text;
};

// The layout of a tensor's shards, independent of painting. It fits the area unless cells would be
// smaller than the minimum or the scene is magnified. If a shard has more elements than room, each
// cell stands for several elements, and the card states how many are drawn.
struct ShardsScene {
  QSizeF size;
  CardSizes sizes;
  std::vector<ShardCard> cards;
  std::vector<ReductionSign> signs;
  QString left;  // "ranks from 4096 on are not drawn (61440 of 65536)"; empty if all are

  // Returns the card with this rank, or null. The pointer is valid while `cards` is unchanged.
  const ShardCard* cardOf(int rank) const;
};

// Lays out the cards without their cells; see layCells(). Returns an empty scene if the view has no
// tensor.
ShardsScene layoutShards(const ShardsSource& source, QSizeF area, double magnified = 1);

// Replaces the cells of all cards by those that intersect `seen`.
void layCells(const ShardsSource& source, ShardsScene& scene, const QRectF& seen);

}  // namespace shardlens
