#include "core/plan/search/expansions.h"

namespace shardlens {

const std::vector<Edge>& Expansions::of(PlacementCode layout) {
  edges_.clear();
  for (int i = layouts_.ndim() - 1; i >= 0; --i) {
    const Code now = PlacementCodec::codeAt(layout, i);
    if (now == PlacementCodec::kReplicate) {
      leaveReplicate(layout, i);
    } else if (layouts_.isPartial(now)) {
      leavePartial(layout, i);
    } else {
      leaveCut(layout, i);
    }
  }
  shuffle(layout);
  return edges_;
}

void Expansions::leaveReplicate(PlacementCode layout, int i) {
  const Code then = PlacementCodec::codeAt(layouts_.target(), i);
  if (layouts_.isPartial(then) && !stillReduces(layout)) {
    add(layout, PlacementCodec::with(layout, i, then), 1U << i, Move::Terms);
  }
  cut(layout, layout, i, Move::Cut);
}

bool Expansions::stillReduces(PlacementCode layout) const {
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if (layouts_.isPartial(PlacementCodec::codeAt(layout, i)) &&
        !layouts_.isPartial(PlacementCodec::codeAt(layouts_.target(), i))) {
      return true;
    }
  }
  return false;
}

// A partial that is also partial in the target is only relabeled.
void Expansions::leavePartial(PlacementCode layout, int i) {
  const Code then = PlacementCodec::codeAt(layouts_.target(), i);
  if (layouts_.isPartial(then)) {
    add(layout, PlacementCodec::with(layout, i, then), 1U << i, Move::Relabel);
    return;
  }
  const PlacementCode reduced = PlacementCodec::with(layout, i, PlacementCodec::kReplicate);
  add(layout, reduced, 1U << i, Move::AllReduce);
  cut(layout, reduced, i, Move::ReduceScatter);
}

void Expansions::leaveCut(PlacementCode layout, int i) {
  const auto uncut = layouts_.withoutShard(layout, i);
  if (!uncut) return;
  const Code then = PlacementCodec::codeAt(layouts_.target(), i);
  // Only the shards of the source are padded. Sharding and padding a replicated tensor would give
  // other partial values than converting it, and only for sums.
  if (layouts_.isPartial(then) && layouts_.isCut(PlacementCodec::codeAt(layouts_.source(), i))) {
    add(layout, PlacementCodec::with(*uncut, i, then), 1U << i, Move::Pad);
  }
  cut(layout, *uncut, i, Move::AllToAll);
  add(layout, uncut, 1U << i, Move::AllGather);
}

void Expansions::cut(PlacementCode from, PlacementCode uncut, int i, Move move) {
  const Dims dims = 1U << i;
  const Code then = PlacementCodec::codeAt(layouts_.target(), i);
  if (layouts_.isCut(then)) add(from, layouts_.withShard(uncut, i, then), dims, move);
  for (int dim = 0; dim < layouts_.tensorNdim(); ++dim) {
    add(from, layouts_.withInnerShard(uncut, i, dim), dims, move);
  }
}

void Expansions::shuffle(PlacementCode layout) {
  Dims changed = 0;
  Dims kept = 0;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    const Code now = PlacementCodec::codeAt(layout, i);
    const Code then = PlacementCodec::codeAt(layouts_.target(), i);
    if (layouts_.isCut(now) && layouts_.isCut(then)) (now == then ? kept : changed) |= 1U << i;
  }
  if (changed == 0) return;
  PlacementCode to = layout;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if ((changed >> i & 1) != 0) {
      to = PlacementCodec::with(to, i, PlacementCodec::codeAt(layouts_.target(), i));
    }
  }
  // Unchanged shards of the same tensor dimensions further right may have to take part.
  if (shuffles(layout, to, changed)) {
    add(layout, to, changed, Move::AllToAll);
  } else if (kept != 0 && shuffles(layout, to, changed | kept)) {
    add(layout, to, changed | kept, Move::AllToAll);
  }
}

bool Expansions::shuffles(PlacementCode from, PlacementCode to, Dims dims) {
  const auto before = uncut(from, dims);
  return before && before == uncut(to, dims);
}

std::optional<PlacementCode> Expansions::uncut(PlacementCode layout, Dims dims) {
  std::optional<PlacementCode> result = layout;
  for (int i = layouts_.ndim() - 1; i >= 0 && result; --i) {
    if ((dims >> i & 1) != 0) result = layouts_.withoutShard(*result, i);
  }
  return result;
}

}  // namespace shardlens
