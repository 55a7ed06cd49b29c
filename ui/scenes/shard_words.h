#pragma once

#include "ui/scenes/shard_card.h"

#include <QString>

namespace shardlens {

// Tool tips of a shard's card and of one of its cells: lines, the most important first.
QString cardWords(const TensorView& view, const ShardCard& card);
QString cellWords(const TensorView& view, const ShardCard& card, const ShardCell& cell);

}  // namespace shardlens
