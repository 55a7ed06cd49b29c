#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::view {

// What became of mask buffers that should not have, up to a position.
struct BufferAlarm {
  enum class Kind : std::uint8_t { None, Conflict, Drained, Leak };
  Kind kind = Kind::None;
  BufferId buffer = 0;  // of a conflict or a drained one; 0: the recording does not say which
};
// A step is refused by a conflict, or as a buffer was used after its last release; or the program
// is over and somebody still holds one.
enum class ProgramState : std::uint8_t { GoesOn, IsOver };
BufferAlarm bufferAlarm(const Journal& journal, const Snapshot& snapshot, ProgramState program);
// "conflict", "used after its release", "not released"; empty: nothing is wrong.
std::string alarmText(const BufferAlarm& alarm, const BufferState& buffer);

// The mask buffers that there are at a position, in the order they came: who holds each, what is
// wrong with it, and how often it was held again, applied and released. A row's event is the one
// that changed it last; the row of the current event's buffer is marked. The journal must outlive
// the table.
struct BuffersTable {
  enum Column { Buffer, Refcount, Holders, Alarm, Made, Hits, Applied, Released };
};
Table buffersTable(const Journal& journal, const Snapshot& snapshot, const BufferAlarm& alarm);

// What was done with a buffer in the whole recording, and inside of which event: an event a row;
// that of the position is marked. The journal must outlive the table.
struct BufferEventsTable {
  enum Column { Event, What, Refcount, Inside };
};
Table bufferEventsTable(const Journal& journal, const Snapshot& snapshot, BufferId id);

}  // namespace shardlens::view
