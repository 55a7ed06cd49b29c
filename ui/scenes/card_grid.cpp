#include "ui/scenes/card_grid.h"

#include "ui/scenes/assembled.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the sign between the cards of two ranks: the operator of the outermost of `axes` on which
// their coordinates differ. Empty if the tensor is sharded on that axis.
std::string signBetween(const TensorView& view, const std::vector<int>& axes, int rank, int other) {
  for (const int dim : axes) {
    if (view.mesh->coordinate(rank, dim) != view.mesh->coordinate(other, dim)) {
      return termOperator(view.record->placements[static_cast<std::size_t>(dim)]);
    }
  }
  return {};
}

bool any(const std::vector<std::string>& signs) {
  return std::any_of(signs.begin(), signs.end(), [](const auto& sign) { return !sign.empty(); });
}

}  // namespace

bool CardGrid::hasSignsAcross() const { return any(before); }
bool CardGrid::hasSignsDown() const { return any(above); }

CardGrid arrangeCards(const TensorView& view,
                      const std::vector<std::vector<std::vector<int>>>& copies,
                      const std::function<int(int places, int beside)>& columnsOf) {
  CardGrid grid;
  std::vector<int> axes;  // mesh dimensions along which shards differ, outermost first
  for (int dim = 0; view.mesh && dim < view.mesh->ndim(); ++dim) {
    const bool parts = !isReplicate(view.record->placements[static_cast<std::size_t>(dim)]);
    if (parts && view.mesh->size(dim) > 1) {
      axes.push_back(dim);
    }
  }
  std::size_t beside = 1;  // cards per shard, at most
  for (const auto& groups : copies) {
    beside = std::max(beside, groups.size());
  }
  const int places = static_cast<int>(copies.size());
  const int besides = static_cast<int>(beside);
  const int across =
      axes.size() > 1 ? std::min(places, view.mesh->size(axes.back())) : columnsOf(places, besides);
  // The copies of a single shard wrap.
  const int wide = places == 1 ? columnsOf(besides, 1) : besides;
  grid.columns = across * wide;
  grid.rows = 0;
  for (int place = 0; place < places; ++place) {
    const auto& groups = copies[static_cast<std::size_t>(place)];
    for (int i = 0; i < static_cast<int>(groups.size()); ++i) {
      const int row = place / across + i / wide;
      grid.places.emplace_back(row, place % across * wide + i % wide);
      grid.rows = std::max(grid.rows, row + 1);
      const int rank = groups.front().front();
      const auto rankAt = [&](int other) {
        return copies[static_cast<std::size_t>(other)].front().front();
      };
      const bool inside = view.mesh && view.mesh->has(rank) && i == 0;
      const bool left = inside && place % across > 0;
      const bool over = inside && place >= across;
      grid.before.push_back(left ? signBetween(view, axes, rank, rankAt(place - 1))
                                 : std::string());
      grid.above.push_back(over ? signBetween(view, axes, rank, rankAt(place - across))
                                : std::string());
    }
  }
  return grid;
}

}  // namespace shardlens
