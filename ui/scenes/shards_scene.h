#pragma once

#include "ui/scenes/tensor_view.h"

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

// A sign between two terms that are still to be reduced.
struct TermSign {
  QPointF centre;
  QString text;
};

// Where everything of the shards of one tensor is drawn, without drawing it. It fits the area when
// that leaves a cell its smallest size, and is larger otherwise; of shards with more elements than
// there is room for, a cell stands for several, and the card says so.
struct ShardsScene {
  QSizeF size;
  std::vector<ShardCard> cards;
  std::vector<TermSign> terms;
  QString left;  // "ranks 4096–65535 are not drawn"
};

ShardsScene layoutShards(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                         QSizeF area, bool dark);

// How the elements of a tensor are laid on rows and columns: the last dimension runs along a row,
// a vector stands upright.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
Grid gridOf(const Shape& shape);

}  // namespace shardlens
