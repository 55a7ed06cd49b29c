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
// that leaves a cell its smallest size, and is larger otherwise; of shards with more elements than
// there is room for, a cell stands for several, and the card says so.
struct ShardsScene {
  QSizeF size;
  std::vector<ShardCard> cards;
  std::vector<TermSign> terms;
  QString left;  // "ranks 4096–65535 are not drawn"
};

ShardsScene layoutShards(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                         QSizeF area, bool dark);

}  // namespace shardlens
