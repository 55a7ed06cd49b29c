#include "ui/scenes/shard_motion.h"

#include "core/model/spec.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardlens {
namespace {

bool isPending(const TensorView& view) {
  const Placements& placements = view.record->placements;
  return std::any_of(placements.begin(), placements.end(), isPartial);
}

bool canMove(const ShardsScene& scene) {
  std::size_t cells = 0;
  for (const ShardCard& card : scene.cards) {
    const bool isSampled =
        card.rows < card.slice.rowCount() || card.columns < card.slice.columnCount();
    cells += card.cells.size();
    if (isSampled || cells > ShardMotion::kMostCells) {
      return false;
    }
  }
  return cells > 0;
}

using Places = std::map<Shape, std::vector<QRectF>>;  // cells by the global index of their element

Places placesOf(const TensorView& view, const ShardsScene& scene) {
  Places places;
  for (const ShardCard& card : scene.cards) {
    const RankPart& part = view.shown(card.ranks);
    for (const ShardCell& cell : card.cells) {
      if (part.runs.size() == part.local.size()) {
        places[globalPlace(part, cell.flat)].push_back(cell.rect);
      }
    }
  }
  return places;
}

double distance(const QRectF& one, const QRectF& other) {
  return (one.center() - other.center()).manhattanLength();
}

}  // namespace

ShardMotion motionBetween(const TensorView& before, const ShardsScene& from,
                          const TensorView& after, const ShardsScene& to) {
  constexpr double kFelt = 1;  // pixels
  ShardMotion motion;
  if (before.record == nullptr || after.record == nullptr ||
      before.record->shape != after.record->shape || !canMove(from) || !canMove(to)) {
    return motion;
  }
  const bool merges = isPending(before) && !isPending(after);
  const Places places = placesOf(before, from);
  for (const ShardCard& card : to.cards) {
    const RankPart& part = after.shown(card.ranks);
    std::vector<bool> moved(card.cells.size(), false);
    for (std::size_t i = 0; i < card.cells.size(); ++i) {
      const ShardCell& cell = card.cells[i];
      const auto found = part.runs.size() == part.local.size()
                             ? places.find(globalPlace(part, cell.flat))
                             : places.end();
      if (found == places.end()) {
        continue;
      }
      std::vector<QRectF> sources = found->second;
      if (!merges) {
        sources = {*std::min_element(sources.begin(), sources.end(),
                                     [&](const QRectF& a, const QRectF& b) {
                                       return distance(a, cell.rect) < distance(b, cell.rect);
                                     })};
      }
      for (const QRectF& source : sources) {
        if (distance(source, cell.rect) > kFelt) {
          motion.travels.push_back({source, cell.rect, cell.fill});
          moved[i] = true;
        }
      }
      if (motion.travels.size() > ShardMotion::kMostCells) {
        return {};
      }
    }
    motion.moved.push_back(std::move(moved));
  }
  return motion;
}

bool isSameData(const Journal& journal, const Snapshot& before, TensorId one, const Snapshot& after,
                TensorId other) {
  const auto sourceOf = [&](const Snapshot& snapshot, TensorId tensor) -> TensorId {
    const auto state = snapshot.tensor(tensor);
    return state ? redistributedFrom(journal, state->born) : 0;
  };
  return one == other || sourceOf(after, other) == one || sourceOf(before, one) == other;
}

}  // namespace shardlens
