#pragma once

#include "ui/scenes/tensor_view.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// The arrangement of a tensor's shard cards in a grid that follows the mesh. Of the mesh dimensions
// along which shards differ, the last runs across and the others run down; a single one wraps at
// the end of a row. Copies of a shard that differ are placed side by side.
struct CardGrid {
  int rows = 1;
  int columns = 1;
  std::vector<std::pair<int, int>> places;  // row, column of each card
  // For each card the sign to its left and above it if it and that neighbour are partial values of
  // one reduction, else an empty string.
  std::vector<std::string> before;
  std::vector<std::string> above;

  bool hasSignsAcross() const;
  bool hasSignsDown() const;
};

// Arranges the cards. `copies` contains for each shard the groups of ranks with equal copies; each
// group has a card. `columnsOf` returns the number of columns in which `places` shards wrap, where
// each has up to `beside` cards side by side.
CardGrid arrangeCards(const TensorView& view,
                      const std::vector<std::vector<std::vector<int>>>& copies,
                      const std::function<int(int places, int beside)>& columnsOf);

}  // namespace shardlens
