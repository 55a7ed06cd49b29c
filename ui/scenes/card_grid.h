#pragma once

#include "ui/scenes/tensor_view.h"

#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Where the cards of a tensor's shards stand: as their ranks do on its mesh, the last axis that
// parts them running across and the others down; a single long axis wraps.
struct CardGrid {
  int rows = 1;
  int columns = 1;
  std::vector<std::pair<int, int>> places;  // row, column of each card
  // The sign between cards side by side, and one below the other, that are terms of one another.
  std::string termAcross;
  std::string termDown;
};

CardGrid arrangeCards(const TensorView& view, int cards, double width, double smallestCard);

}  // namespace shardlens
