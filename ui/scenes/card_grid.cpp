#include "ui/scenes/card_grid.h"

#include "ui/scenes/assembled.h"

#include <algorithm>

namespace shardlens {

CardGrid arrangeCards(const TensorView& view, const std::vector<std::vector<int>>& copies,
                      double width, double smallestCard) {
  CardGrid grid;
  const int count = static_cast<int>(copies.size());
  const auto& placements = view.record->placements;
  std::vector<int> axes;  // that part the cards
  if (view.mesh && placements.size() == static_cast<std::size_t>(view.mesh->ndim())) {
    for (int dim = 0; dim < view.mesh->ndim(); ++dim) {
      if (!isReplicate(placements[static_cast<std::size_t>(dim)]) && view.mesh->size(dim) > 1) {
        axes.push_back(dim);
      }
    }
  }
  const int last = axes.empty() ? -1 : axes.back();
  grid.columns = last < 0 ? count : view.mesh->size(last);
  const int fitting = std::max(1, static_cast<int>(width / smallestCard));
  if (grid.columns > fitting) {
    // Halved until it fits, so that rows stay equally long.
    while (grid.columns > fitting && grid.columns % 2 == 0) {
      grid.columns /= 2;
    }
    grid.columns = std::min(grid.columns, fitting);
  }
  grid.columns = std::max(1, std::min(grid.columns, count));
  grid.rows = (count + grid.columns - 1) / grid.columns;
  for (int i = 0; i < count; ++i) {
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
