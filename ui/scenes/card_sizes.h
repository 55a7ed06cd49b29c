#pragma once

#include "ui/scenes/card_grid.h"
#include "ui/scenes/element_colours.h"
#include "ui/scenes/magnifier.h"
#include "ui/scenes/shard_slice.h"

#include <QSizeF>

namespace shardlens {

// The widths of what is written on a card: of a character, at most.
inline constexpr double kTitleDigit = 7;
inline constexpr double kNoteDigit = 6.2;
inline constexpr double kCellGap = 2;  // between cells
inline constexpr double kFoot = 14;    // the height of a line at its foot

// The lists of ranks that hold the same, of each place where cards stand: the longest list first.
using Copies = std::vector<std::vector<std::vector<int>>>;

// The tensor whose shards are laid out, the slice of it, and what its cards are about. What it is
// made of must outlive it.
struct ShardsSource {
  const Journal& journal;
  const Snapshot& snapshot;
  const TensorView& view;
  TensorSlice slice;
  ElementColours colours;
  Copies copies;
  Shape padded;  // see paddedShape()

  ShardsSource(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
               TensorSlice slice, bool dark);
  PartLookup lookup(const RankPart& part) const { return {journal, snapshot, view, part}; }
};

// The sizes of cards; compact where there are many, bare where all of very many are to be seen.
struct CardStyle {
  bool compact = false;
  bool bare = false;  // nothing but cells
  double smallest = 104;
  double header = 30;
  double padding = 9;
  double gap = 14;
  double sheet = 5;
};

// How large the cards of a tensor's shards are, all alike, and what there is room for in them. They
// fit the area when that leaves a cell its smallest size. Magnified, see Magnifier, they are
// larger, up to where every element has a cell of the largest size.
struct CardSizes {
  CardStyle style;
  CardGrid grid;
  double gapX = 0, gapY = 0;  // between cards
  double sheets = 0;          // what lies behind a card juts out so far
  double width = 0, height = 0;
  double header = 0, labels = 0, foot = 0;
  QSizeF cell;
  double cellGap = kCellGap;           // between cells; none where they are drawn as an image
  std::int64_t rows = 1, columns = 1;  // of cells that are drawn, at most
  bool twoLines = false;               // the note stands below the title
  int characters = 0;                  // of a cell's value; 0 where there is no room for one
  bool withLabels = false;             // and beside a row for its index
  bool withFigures = false;            // and below the cells for what their values are like
  double most = 1;                     // how far it can be magnified
};
CardSizes sizeCards(const ShardsSource& source, QSizeF area, double magnified = 1);

}  // namespace shardlens
