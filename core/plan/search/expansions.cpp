#include "core/plan/search/expansions.h"

namespace shardlens {

const std::vector<Edge>& Expansions::of(PlacementCode state) {
  edges_.clear();
  for (int i = codec_.ndim() - 1; i >= 0; --i) {
    const Code now = PlacementCodec::codeAt(state, i);
    if (now == PlacementCodec::kReplicate) {
      leaveReplicate(state, i);
    } else if (codec_.isPartial(now)) {
      leavePartial(state, i);
    } else {
      leaveShard(state, i);
    }
  }
  shuffle(state);
  return edges_;
}

void Expansions::leaveReplicate(PlacementCode state, int i) {
  const Code then = PlacementCodec::codeAt(codec_.target(), i);
  if (codec_.isPartial(then) && !stillReduces(state)) {
    add(state, PlacementCodec::with(state, i, then), 1U << i, Move::MakePartial);
  }
  addShards(state, state, i, Move::Slice);
}

bool Expansions::stillReduces(PlacementCode state) const {
  for (int i = 0; i < codec_.ndim(); ++i) {
    if (codec_.isPartial(PlacementCodec::codeAt(state, i)) &&
        !codec_.isPartial(PlacementCodec::codeAt(codec_.target(), i))) {
      return true;
    }
  }
  return false;
}

// A partial that is also partial in the target is only relabeled.
void Expansions::leavePartial(PlacementCode state, int i) {
  const Code then = PlacementCodec::codeAt(codec_.target(), i);
  if (codec_.isPartial(then)) {
    add(state, PlacementCodec::with(state, i, then), 1U << i, Move::Relabel);
    return;
  }
  const PlacementCode reduced = PlacementCodec::with(state, i, PlacementCodec::kReplicate);
  add(state, reduced, 1U << i, Move::AllReduce);
  addShards(state, reduced, i, Move::ReduceScatter);
}

void Expansions::leaveShard(PlacementCode state, int i) {
  const auto withoutShard = codec_.withoutShard(state, i);
  if (!withoutShard) return;
  const Code then = PlacementCodec::codeAt(codec_.target(), i);
  // Only the shards of the source are padded. Sharding and padding a replicated tensor would give
  // other partial values than converting it, and only for sums.
  if (codec_.isPartial(then) && codec_.isSharded(PlacementCodec::codeAt(codec_.source(), i))) {
    add(state, PlacementCodec::with(*withoutShard, i, then), 1U << i, Move::Pad);
  }
  addShards(state, *withoutShard, i, Move::AllToAll);
  add(state, withoutShard, 1U << i, Move::AllGather);
}

void Expansions::addShards(PlacementCode from, PlacementCode withoutShard, int i, Move move) {
  const Dims dims = 1U << i;
  const Code then = PlacementCodec::codeAt(codec_.target(), i);
  if (codec_.isSharded(then)) add(from, codec_.withShard(withoutShard, i, then), dims, move);
  for (int dim = 0; dim < codec_.tensorNdim(); ++dim) {
    add(from, codec_.withInnerShard(withoutShard, i, dim), dims, move);
  }
}

void Expansions::shuffle(PlacementCode state) {
  Dims changed = 0;
  Dims kept = 0;
  for (int i = 0; i < codec_.ndim(); ++i) {
    const Code now = PlacementCodec::codeAt(state, i);
    const Code then = PlacementCodec::codeAt(codec_.target(), i);
    if (codec_.isSharded(now) && codec_.isSharded(then)) (now == then ? kept : changed) |= 1U << i;
  }
  if (changed == 0) return;
  PlacementCode to = state;
  for (int i = 0; i < codec_.ndim(); ++i) {
    if ((changed >> i & 1) != 0) {
      to = PlacementCodec::with(to, i, PlacementCodec::codeAt(codec_.target(), i));
    }
  }
  // Unchanged shards of the same tensor dimensions further right may have to take part.
  if (shuffles(state, to, changed)) {
    add(state, to, changed, Move::AllToAll);
  } else if (kept != 0 && shuffles(state, to, changed | kept)) {
    add(state, to, changed | kept, Move::AllToAll);
  }
}

bool Expansions::shuffles(PlacementCode from, PlacementCode to, Dims dims) {
  const auto before = withoutShards(from, dims);
  return before && before == withoutShards(to, dims);
}

std::optional<PlacementCode> Expansions::withoutShards(PlacementCode state, Dims dims) {
  std::optional<PlacementCode> result = state;
  for (int i = codec_.ndim() - 1; i >= 0 && result; --i) {
    if ((dims >> i & 1) != 0) result = codec_.withoutShard(*result, i);
  }
  return result;
}

}  // namespace shardlens
