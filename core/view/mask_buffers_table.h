#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::view {

// The mask buffers that there are at a position: who holds them, how often, and whether they live.
// A row's event is the last one that changed it; the row of the newest of them is marked.
struct MaskBuffersTable {
  enum Column { Buffer, Holders, Refcount, State };
};
Table maskBuffersTable(const std::vector<BufferState>& buffers);

// The one that changed last; null where there is none.
const BufferState* newestBuffer(const std::vector<BufferState>& buffers);
int liveBuffers(const std::vector<BufferState>& buffers);
std::string holdersText(const BufferState& buffer);  // "x', y"; "nobody"

}  // namespace shardlens::view
