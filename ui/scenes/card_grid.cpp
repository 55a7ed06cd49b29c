#include "ui/scenes/card_grid.h"

#include "ui/scenes/assembled.h"

#include <algorithm>

namespace shardlens {

CardGrid arrangeCards(const TensorView& view, int cards, double width, double smallestCard) {
  CardGrid grid;
  const auto& placements = view.record->placements;
  std::vector<int> axes;  // that part the cards
  for (int dim = 0; view.mesh && dim < view.mesh->ndim(); ++dim) {
    if (!isReplicate(placements[static_cast<std::size_t>(dim)]) && view.mesh->size(dim) > 1) {
      axes.push_back(dim);
    }
  }
  const int last = axes.empty() ? -1 : axes.back();
  grid.columns = last < 0 ? cards : view.mesh->size(last);
  const int fitting = std::max(1, static_cast<int>(width / smallestCard));
  if (grid.columns > fitting) {
    // Halved until it fits, so that rows stay equally long.
    while (grid.columns > fitting && grid.columns % 2 == 0) {
      grid.columns /= 2;
    }
    grid.columns = std::min(grid.columns, fitting);
  }
  grid.columns = std::max(1, std::min(grid.columns, cards));
  grid.rows = (cards + grid.columns - 1) / grid.columns;
  for (int i = 0; i < cards; ++i) {
    grid.places.emplace_back(i / grid.columns, i % grid.columns);
  }
  if (last >= 0) {
    grid.termAcross = termOperator(placements[static_cast<std::size_t>(last)]);
    const bool wrapped = grid.columns != view.mesh->size(last);
    if (wrapped) {
      grid.termDown = grid.termAcross;
    } else if (axes.size() > 1) {
      grid.termDown = termOperator(placements[static_cast<std::size_t>(axes[axes.size() - 2])]);
    }
  }
  return grid;
}

}  // namespace shardlens
