#pragma once

#include "core/model/route.h"
#include "core/model/spec.h"
#include "core/trace/events/open_blocks.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_schema.h"

#include <string>
#include <vector>

namespace shardlens {

// The rows of a recording, validated. Each function reads the current row of a statement and throws
// DatabaseError, with the reason, if the row is not possible.

[[noreturn]] void damaged(const std::string& text);
// Throws because event `id` refers to an id that does not exist.
[[noreturn]] void missingEntry(EventId id);

// Reads the columns id, dtype, shape, placements, mesh.
Spec specAt(const Statement& row, SpecId id);
// Reads the columns id, placements.
Route routeAt(const Statement& row, RouteId id);
// Reads the columns first, count, records of a block of tensors. Does not check the ids in it.
std::vector<PackedTensor> tensorsAt(const Statement& row);
// Unpacks the columns count, records of the block whose first event is `first`. Does not check the
// fields of the events.
void unpackAt(const Statement& row, EventId first, EventBlock& into);

// Reads the column event of a bookmark. Does not check that the event exists.
EventId bookmarkedAt(const Statement& row);

// Checks the fields of an event that are no ids, and that its parent is an earlier event.
void checkFields(EventId id, const Event& event);

}  // namespace shardlens
