#include "core/plan/neighbours.h"

namespace shardlens {

const std::vector<Edge>& Neighbours::of(PlacementCode layout) {
  edges_.clear();
  for (int i = layouts_.ndim() - 1; i >= 0; --i) {
    const Code now = Layouts::codeAt(layout, i);
    if (now == Layouts::kReplicate) {
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

void Neighbours::leaveReplicate(PlacementCode layout, int i) {
  const Code then = Layouts::codeAt(layouts_.target(), i);
  if (layouts_.isPartial(then) && !stillReduces(layout)) {
    add(layout, Layouts::with(layout, i, then), 1U << i, Move::Terms);
  }
  cut(layout, layout, i, Move::Cut);
}

bool Neighbours::stillReduces(PlacementCode layout) const {
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if (layouts_.isPartial(Layouts::codeAt(layout, i)) &&
        !layouts_.isPartial(Layouts::codeAt(layouts_.target(), i))) {
      return true;
    }
  }
  return false;
}

// A partial that the target has as well stays.
void Neighbours::leavePartial(PlacementCode layout, int i) {
  const Code then = Layouts::codeAt(layouts_.target(), i);
  if (layouts_.isPartial(then)) {
    add(layout, Layouts::with(layout, i, then), 1U << i, Move::Relabel);
    return;
  }
  const PlacementCode reduced = Layouts::with(layout, i, Layouts::kReplicate);
  add(layout, reduced, 1U << i, Move::AllReduce);
  cut(layout, reduced, i, Move::ReduceScatter);
}

void Neighbours::leaveCut(PlacementCode layout, int i) {
  const auto uncut = layouts_.lifted(layout, i);
  if (!uncut) return;
  const Code then = Layouts::codeAt(layouts_.target(), i);
  // A whole becomes terms as such: cut on the way and padded it would be other terms, and of a sum
  // alone.
  if (layouts_.isPartial(then) && layouts_.isCut(Layouts::codeAt(layouts_.source(), i))) {
    add(layout, Layouts::with(*uncut, i, then), 1U << i, Move::Pad);
  }
  cut(layout, *uncut, i, Move::AllToAll);
  add(layout, uncut, 1U << i, Move::AllGather);
}

void Neighbours::cut(PlacementCode from, PlacementCode uncut, int i, Move move) {
  const Dims dims = 1U << i;
  const Code then = Layouts::codeAt(layouts_.target(), i);
  if (layouts_.isCut(then)) add(from, layouts_.placed(uncut, i, then), dims, move);
  for (int dim = 0; dim < layouts_.tensorNdim(); ++dim) {
    add(from, layouts_.appended(uncut, i, dim), dims, move);
  }
}

void Neighbours::shuffle(PlacementCode layout) {
  Dims changed = 0;
  Dims kept = 0;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    const Code now = Layouts::codeAt(layout, i);
    const Code then = Layouts::codeAt(layouts_.target(), i);
    if (layouts_.isCut(now) && layouts_.isCut(then)) (now == then ? kept : changed) |= 1U << i;
  }
  if (changed == 0) return;
  PlacementCode to = layout;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if ((changed >> i & 1) != 0) {
      to = Layouts::with(to, i, Layouts::codeAt(layouts_.target(), i));
    }
  }
  // Those that cut the same tensor dimensions further in may have to take part.
  if (shuffles(layout, to, changed)) {
    add(layout, to, changed, Move::AllToAll);
  } else if (kept != 0 && shuffles(layout, to, changed | kept)) {
    add(layout, to, changed | kept, Move::AllToAll);
  }
}

bool Neighbours::shuffles(PlacementCode from, PlacementCode to, Dims dims) {
  const auto before = uncut(from, dims);
  return before && before == uncut(to, dims);
}

std::optional<PlacementCode> Neighbours::uncut(PlacementCode layout, Dims dims) {
  std::optional<PlacementCode> result = layout;
  for (int i = layouts_.ndim() - 1; i >= 0 && result; --i) {
    if ((dims >> i & 1) != 0) result = layouts_.lifted(*result, i);
  }
  return result;
}

}  // namespace shardlens
