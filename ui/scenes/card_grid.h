#pragma once

#include "ui/scenes/tensor_view.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Where the cards of a tensor's shards stand: as their ranks do on its mesh, the last axis that
// parts them running across and the others down; an axis that parts them alone wraps where no more
// fit in. Copies that differ stand side by side, where else one card would.
struct CardGrid {
  int rows = 1;
  int columns = 1;
  std::vector<std::pair<int, int>> places;  // row, column of each card
  // The signs that stand before a card and above it, where it is a term of its neighbour's sum.
  std::vector<std::string> before;
  std::vector<std::string> above;

  bool hasSignsAcross() const;
  bool hasSignsDown() const;
};

// `copies` has for each card's place the lists of ranks that hold the same; `columnsOf` says in how
// many columns so many places wrap, where each has so many cards beside one another.
CardGrid arrangeCards(const TensorView& view,
                      const std::vector<std::vector<std::vector<int>>>& copies,
                      const std::function<int(int places, int beside)>& columnsOf);

}  // namespace shardlens
