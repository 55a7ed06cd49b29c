#pragma once

#include "ui/scenes/card_sizes.h"

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
  std::int64_t flat =
      0;  // the element of the local tensor, row-major: the first that it stands for
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
  QString empty;     // what to say in the frame where there are no cells
  QRectF titleRect, noteRect, footRect, body;
  bool compact = false;  // small type: there are many
  bool changed = false;
  bool differs = false;  // copies that are not alike
  int unlike = -1;       // a rank whose copy it is compared with; -1 where it has what most have
  std::vector<RowLabel> labels;
  std::vector<ShardCell> cells;
};

// The card at this place of these ranks, which hold the same: one of the groups of its place.
ShardCard layoutCard(const ShardsSource& source, const CardSizes& sizes,
                     const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                     QPointF at);

}  // namespace shardlens
