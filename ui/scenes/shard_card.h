#pragma once

#include "ui/scenes/card_sizes.h"
#include "ui/scenes/sampling.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

// A cell of a card. It stands for one element, or for several if room is short.
struct ShardCell {
  QRectF rect;
  QColor fill;
  double masked = 0;      // fraction of its elements that are masked
  QString text;           // empty if there is no room
  std::int64_t flat = 0;  // row-major index of its first element in the local tensor
  std::int64_t rows = 1;  // number of elements that it stands for, down and across
  std::int64_t columns = 1;
  bool differs = false;  // an element differs from the most frequent copy
  bool odd = false;      // an element is NaN or infinite
};

// The global index, or the looked-up id, of a row of cells.
struct RowLabel {
  QRectF rect;
  QString text;
  bool strong = false;  // the tensor is masked, and this row is not
};

// The card of a shard: of one rank, of several ranks with equal copies, or of the ranks outside of
// the mesh.
struct ShardCard {
  QRectF rect;
  std::vector<QRectF> sheets;  // behind the card, one per further copy, 3 at most
  std::vector<int> ranks;      // ascending
  QString title;               // "rank 1"; "1" if there is little room
  QString note;                // "rows 3–5"; empty if there is no room
  QString fullNote;            // the note even if there is no room
  QString foot;                // "8 of 32 rows drawn", if cells stand for several elements
  QString figures;             // "-0.97 to 0.59, mean -0.25", if numbers do not fit in cells
  QString empty;               // text shown in place of cells; empty if there are cells
  QRectF titleRect, noteRect, footRect, figuresRect, body;
  std::vector<QRectF> padding;  // areas below and right that DTensor pads; empty if none
  QString paddingText;          // see paddingText(); empty if there is no padding
  bool compact = false;         // CardStyle::compact
  bool bare = false;            // only cells
  bool changed = false;         // the current event changed the values
  bool differs = false;         // the copies of the shard differ
  bool odd = false;             // some element is NaN or infinite
  bool isInferred = false;      // TensorView::isInferred
  int unlike = -1;   // a rank with the most frequent copy; -1 if this card shows that copy
  ShardSlice slice;  // the shown part of the shard
  std::int64_t rows = 0, columns = 0;  // number of cells
  std::vector<RowLabel> labels;        // of the rows in `cells`
  std::vector<ShardCell> cells;        // visible cells, row by row; see layCells()
  QPoint firstCell;                    // column and row of the first of them
  int cellsAcross = 0;                 // cells per row in `cells`
};

// Lays out the card of one of the shard's groups of equal copies, with its top left corner at `at`
// and without cells. `ranks` must be an element of `groups`, because addresses are compared.
ShardCard layoutCard(const ShardsSource& source, const CardSizes& sizes,
                     const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                     QPointF at);

// Returns the rectangle of a cell, also for a row or column outside of the card.
QRectF cellRect(const CardSizes& sizes, const ShardCard& card, std::int64_t row,
                std::int64_t column);
// Replaces the cells and labels of the card by those that intersect `seen`. Removes all if the card
// does not intersect it.
void layCells(const ShardsSource& source, const CardSizes& sizes, ShardCard& card,
              const QRectF& seen);
// Returns one cell, visible or not. The card must have it.
ShardCell layoutCell(const ShardsSource& source, const CardSizes& sizes, const ShardCard& card,
                     std::int64_t row, std::int64_t column);

}  // namespace shardlens
