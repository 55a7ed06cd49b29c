#pragma once

#include "core/trace/snapshot.h"

#include <QPointF>
#include <QString>
#include <vector>

namespace shardlens {

// One rank's bits of a mask: true is masked, an id that another rank owns.
struct MaskBits {
  int rank = 0;
  std::vector<bool> bits;
  std::int64_t masked = 0;
};

std::vector<MaskBits> maskBits(const Journal& journal, TensorId mask, EventId position);

// How a buffer's refcount went over the whole recording, as the corners of a step line from
// position 0 to the end.
std::vector<QPointF> refcountSteps(const Journal& journal, BufferId buffer);

// The events of a buffer, in order.
std::vector<EventId> eventsOf(const Journal& journal, BufferId buffer);

QString bufferState(const BufferState& buffer);  // "live", "released"

}  // namespace shardlens
