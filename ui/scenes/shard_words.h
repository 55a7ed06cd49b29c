#pragma once

#include "ui/scenes/shard_card.h"

#include <QString>

namespace shardlens {

// What a card of a tensor's shards says where it is pointed at, and what a cell of it says: lines,
// the most important first.
QString cardWords(const TensorView& view, const ShardCard& card);
QString cellWords(const TensorView& view, const ShardCard& card, const ShardCell& cell);

}  // namespace shardlens
