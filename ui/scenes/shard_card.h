#pragma once

#include "ui/scenes/card_sizes.h"
#include "ui/scenes/sampling.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

struct ShardCell {
  QRectF rect;
  QColor fill;
  double masked = 0;  // which share of what it stands for is masked
  QString text;       // empty where there is no room
  // The element of the local tensor, row-major: the first that it stands for.
  std::int64_t flat = 0;
  std::int64_t rows = 1;  // what it stands for
  std::int64_t columns = 1;
  bool differs = false;  // from the copies that most ranks hold
  bool odd = false;      // not a number, or infinite
};

struct RowLabel {
  QRectF rect;
  QString text;
  bool strong = false;
};

// What a rank holds, or the ranks that hold the same; or the ranks that are not in the mesh.
struct ShardCard {
  QRectF rect;
  std::vector<QRectF> sheets;  // behind it, one a copy, three at most
  std::vector<int> ranks;
  QString title;     // "rank 1"; "1" where there is little room
  QString note;      // "rows 3–5"
  QString fullNote;  // also where there is no room for it
  QString foot;      // "8 of 32 rows drawn", where cells stand for others
  QString figures;   // "-0.97 to 0.59, mean -0.25", where there is no room for numbers
  QString empty;     // what to say in the frame where there are no cells
  QRectF titleRect, noteRect, footRect, figuresRect, body;
  std::vector<QRectF> padding;  // what it is short of, beside the largest shard: below, and right
  QString paddingText;          // "1 row short of the largest shard: DTensor pads it to send it"
  bool compact = false;         // small type: there are many
  bool bare = false;            // nothing but cells
  bool changed = false;
  bool differs = false;  // copies that are not alike
  bool odd = false;      // some element is not a number, or infinite
  int unlike = -1;       // a rank whose copy it is compared with; -1 where it has what most have
  ShardSlice slice;      // what it shows
  std::int64_t rows = 0, columns = 0;  // of cells
  std::vector<RowLabel> labels;        // of the cells that are laid
  std::vector<ShardCell> cells;        // row by row; those that are seen
  QPoint firstCell;                    // column and row of the first of them
  int cellsAcross = 0;                 // of a row of them
};

// The card at this place of these ranks, which hold the same: one of the groups of its place. Its
// cells are not laid yet.
ShardCard layoutCard(const ShardsSource& source, const CardSizes& sizes,
                     const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                     QPointF at);

// Where a cell of a card stands, by its row and column.
QRectF cellRect(const CardSizes& sizes, const ShardCard& card, std::int64_t row,
                std::int64_t column);
// Lays the cells of a card that meet a place, and no others.
void layCells(const ShardsSource& source, const CardSizes& sizes, ShardCard& card,
              const QRectF& seen);
// One cell, wherever it is.
ShardCell layoutCell(const ShardsSource& source, const CardSizes& sizes, const ShardCard& card,
                     std::int64_t row, std::int64_t column);

}  // namespace shardlens
