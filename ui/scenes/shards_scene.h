#pragma once

#include "ui/scenes/shard_card.h"

#include <QPointF>
#include <QString>
#include <vector>

namespace shardlens {

// A sign between two terms that are still to be reduced.
struct TermSign {
  QPointF centre;
  QString text;
};

// Where everything of the shards of one tensor is drawn, without drawing it. It fits the area when
// that leaves a cell its smallest size, and is larger otherwise, or where it is magnified; of
// shards with more elements than there is room for, a cell stands for several, and the card says
// so.
struct ShardsScene {
  QSizeF size;
  CardSizes sizes;
  std::vector<ShardCard> cards;
  std::vector<TermSign> terms;
  QString left;  // "ranks 4096–65535 are not drawn"

  // The card with this rank; null: none has it.
  const ShardCard* cardOf(int rank) const;
};

// The cards, without their cells: see layCells().
ShardsScene layoutShards(const ShardsSource& source, QSizeF area, double magnified = 1);

// Lays the cells that meet a place, of all cards, and no others.
void layCells(const ShardsSource& source, ShardsScene& scene, const QRectF& seen);

}  // namespace shardlens
