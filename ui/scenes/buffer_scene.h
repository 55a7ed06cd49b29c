#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <QPointF>
#include <QRectF>
#include <QString>
#include <utility>
#include <vector>

namespace shardlens {

// The bits of a mask on one rank. A set bit masks an id, because another rank owns its row.
struct MaskBits {
  int rank = 0;
  std::vector<bool> bits;
  std::int64_t masked = 0;  // number of set bits
  bool operator==(const MaskBits&) const = default;
};

// Returns the mask's bits at a position, for each rank whose values were captured.
std::vector<MaskBits> maskBits(const Journal& journal, TensorId mask, EventId position);

// Returns the mask that the refused lookup at the snapshot needs: the bits of each rank for the ids
// that its redistribution should have masked. Empty if the snapshot has no such error, if the ids
// are sharded, or if their values were not captured.
std::vector<MaskBits> refusedBits(const Journal& journal, const Snapshot& snapshot);

// A square in the picture of a mask. It stands for one id, or for several if room is short.
struct BitSquare {
  QRectF rect;
  double masked = 0;  // fraction of its ids that are masked
};

// The picture of a mask, with one labelled line per rank. It fits the width of the area and may be
// higher than it.
struct BitsScene {
  QSizeF size;
  std::vector<BitSquare> squares;
  std::vector<std::pair<QRectF, QString>> labels;
  std::int64_t each = 1;  // ids per square
};
// Returns an empty scene if there are no ranks.
BitsScene layoutBits(const std::vector<MaskBits>& ranks, QSizeF area);

// Returns the refcount of a buffer over the recording, as the corners of a step line (x: position,
// y: refcount) from position 0 to `end`. Without changes, the refcount is 0 throughout.
std::vector<QPointF> refcountSteps(const std::vector<BufferHistory::Change>& changes, EventId end);

}  // namespace shardlens
