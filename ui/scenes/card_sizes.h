#pragma once

#include "ui/scenes/card_grid.h"
#include "ui/scenes/element_colours.h"
#include "ui/scenes/shard_grid.h"

#include <QSizeF>

namespace shardlens {

// The lists of ranks that hold the same, of each place where cards stand: the longest list first.
using Copies = std::vector<std::vector<std::vector<int>>>;

// The tensor whose shards are laid out, and what its cards are about.
struct ShardsSource {
  const Journal& journal;
  const Snapshot& snapshot;
  const TensorView& view;
  ElementColours colours;
  Copies copies;

  ShardsSource(const Journal& journal, const Snapshot& snapshot, const TensorView& view, bool dark);
  PartLookup lookup(const RankPart& part) const { return {journal, snapshot, view, part}; }
};

// The sizes of cards; compact where there are many.
struct CardStyle {
  bool compact = false;
  double smallest = 104;
  double header = 30;
  double padding = 9;
  double gap = 14;
  double sheet = 5;
};

// How large the cards of a tensor's shards are, all alike, and what there is room for in them. They
// fit the area when that leaves a cell its smallest size.
struct CardSizes {
  CardStyle style;
  CardGrid grid;
  double gapX = 0, gapY = 0;  // between cards
  double sheets = 0;          // what lies behind a card juts out so far
  double width = 0, height = 0;
  double header = 0, labels = 0, foot = 0;
  QSizeF cell;
  std::int64_t rows = 1, columns = 1;  // of cells that are drawn, at most
  bool twoLines = false;               // the note stands below the title
  int characters = 0;                  // of a cell's value; 0 where there is no room for one
  bool withLabels = false;             // and beside a row for its index
};
CardSizes sizeCards(const ShardsSource& source, QSizeF area);

// The widths of what is written on a card: of a character, at most.
inline constexpr double kTitleDigit = 7;
inline constexpr double kNoteDigit = 6.2;
inline constexpr double kCellGap = 2;  // between cells
inline constexpr double kFoot = 14;    // the height of the line at its foot

}  // namespace shardlens
