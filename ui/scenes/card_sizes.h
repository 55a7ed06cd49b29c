#pragma once

#include "ui/scenes/card_grid.h"
#include "ui/scenes/element_colours.h"
#include "ui/scenes/magnifier.h"
#include "ui/scenes/shard_slice.h"

#include <QSizeF>

namespace shardlens {

// Maximum width of a character on a card, in the title and in the note, in pixels.
inline constexpr double kTitleDigit = 7;
inline constexpr double kNoteDigit = 6.2;
inline constexpr double kCellGap = 2;  // between cells
inline constexpr double kFoot = 14;    // height of a line below the cells

// For each shard the groups of ranks with equal copies, the largest group first; see alike().
using Copies = std::vector<std::vector<std::vector<int>>>;

// The input of the layout of a tensor's shards: the tensor at a position, the shown slice, colours
// and copies. Keeps references to the journal, the snapshot and the view, which must outlive it.
struct ShardsSource {
  const Journal& journal;
  const Snapshot& snapshot;
  const TensorView& view;
  TensorSlice slice;
  ElementColours colours;
  Copies copies;
  Shape padded;                // see paddedShape()
  bool alwaysNumbers = false;  // small shards get cells with room for numbers, even if they scroll

  ShardsSource(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
               TensorSlice slice, bool dark);
  PartLookup lookup(const RankPart& part) const { return {journal, snapshot, view, part}; }
};

// The measures of a card, in pixels. Compact cards are for many shards; bare cards show very many
// shards at once.
struct CardStyle {
  bool compact = false;
  bool bare = false;      // only cells, no text
  bool numbers = false;   // each element has a cell with room for a number
  double smallest = 104;  // minimum width of a card
  double header = 30;     // height above the cells
  double padding = 9;     // around the cells
  double gap = 14;        // between cards
  double sheet = 5;       // offset of each sheet behind a card, which stands for another copy
};

// The common size of a tensor's shard cards, and which parts of a card have room. The cards fit the
// area unless cells would be smaller than the minimum. If magnified (see Magnifier), they are
// larger, up to the factor at which each element has a cell of the maximum size.
struct CardSizes {
  CardStyle style;
  CardGrid grid;
  double gapX = 0, gapY = 0;  // between cards
  double sheets = 0;          // how far the sheets behind a card jut out
  double width = 0, height = 0;
  double header = 0, labels = 0, foot = 0;  // height, width, height of the parts around the cells
  QSizeF cell;
  double cellGap = kCellGap;           // between cells; 0 if they are drawn as an image
  std::int64_t rows = 1, columns = 1;  // maximum number of cells drawn per card
  bool twoLines = false;               // the note is below the title
  int characters = 0;                  // of a cell's value; 0 if values do not fit
  bool withLabels = false;             // row indices fit beside the cells
  bool withFigures = false;            // a line of statistics is shown below the cells
  double most = 1;                     // maximum magnification
};
// Returns the sizes for an area. `magnified` is a Magnifier::factor().
CardSizes sizeCards(const ShardsSource& source, QSizeF area, double magnified = 1);

}  // namespace shardlens
