#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// A misuse of mask buffers, up to a position.
struct BufferAlarm {
  // Conflict: a step was refused because a buffer is in use. Drained: a step was refused because a
  // buffer was used after its last release. Leak: buffers are held at the end of the program.
  enum class Kind : std::uint8_t { None, Conflict, Drained, Leak };
  Kind kind = Kind::None;
  BufferId buffer = 0;  // of Conflict and Drained; 0: unknown
};
// Ended: no more events will follow, so held buffers are leaks.
enum class ProgramState : std::uint8_t { Running, Ended };
// Derives the alarm from the snapshot's error message and its held buffers. Pass Ended only if the
// snapshot is at the last event; otherwise buffers that are released later count as leaks.
BufferAlarm bufferAlarm(const Journal& journal, const Snapshot& snapshot, ProgramState program);
// Returns the alarm of this buffer, as "conflict", "used after its release" or "not released"; ""
// if it is not affected.
std::string alarmText(const BufferAlarm& alarm, const BufferState& buffer);

// A table of the mask buffers at a position, in order of creation, with holders, alarm and counts.
// A row's event is the last one that changed the buffer. Marks the buffer that the current event
// changed. Made is the event that created the buffer; Hits, Applied and Released count events up to
// the position. Does not keep a reference to the journal.
struct BuffersTable {
  enum Column { Buffer, Refcount, Holders, Alarm, Made, Hits, Applied, Released };
};
Table buffersTable(const Journal& journal, const Snapshot& snapshot, const BufferAlarm& alarm);

// A table of the events of one buffer in the whole recording; empty for an unknown buffer. Marks
// the row of the snapshot's position. Refcount is the count after the event, Inside the title of
// its parent event. Keeps a reference to the journal.
struct BufferEventsTable {
  enum Column { Event, What, Refcount, Inside };
};
Table bufferEventsTable(const Journal& journal, const Snapshot& snapshot, BufferId id,
                        Notation notation = Notation::DTensor);

}  // namespace shardlens::view
