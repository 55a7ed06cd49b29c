#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <QPointF>
#include <QRectF>
#include <QString>
#include <utility>
#include <vector>

namespace shardlens {

// One rank's bits of a mask: true is masked, an id that another rank owns.
struct MaskBits {
  int rank = 0;
  std::vector<bool> bits;
  std::int64_t masked = 0;
};

std::vector<MaskBits> maskBits(const Journal& journal, TensorId mask, EventId position);

// A square of a mask's picture: one id, or several where there is little room.
struct BitSquare {
  QRectF rect;
  double masked = 0;  // which share of them
};

// A line a rank, each with its number. It fits the area's width, and is scrolled when it is higher.
struct BitsScene {
  QSizeF size;
  std::vector<BitSquare> squares;
  std::vector<std::pair<QRectF, QString>> labels;
  std::int64_t each = 1;  // ids in a square
};
BitsScene layoutBits(const std::vector<MaskBits>& ranks, QSizeF area);

// How a buffer's refcount went over the whole recording, as the corners of a step line from
// position 0 to the end.
std::vector<QPointF> refcountSteps(const std::vector<BufferHistory::Change>& changes, EventId end);

}  // namespace shardlens
