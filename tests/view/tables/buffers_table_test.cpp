#include "core/view/tables/buffers_table.h"

#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/view/lookup_run.h"
#include "tests/view/table_text.h"

#include <gtest/gtest.h>

namespace shardlens::view {
namespace {

struct OfRun {
  explicit OfRun(void (*record)(Journal&)) { record(journal); }
  std::string buffers(EventId position, ProgramState program = ProgramState::Running) {
    const Snapshot snapshot = states.at(position);
    return tableText(buffersTable(journal, snapshot, bufferAlarm(journal, snapshot, program)));
  }
  Table events(EventId position, BufferId id) {
    return bufferEventsTable(journal, states.at(position), id);
  }
  Journal journal;
  StateIndex states{journal};
};

// Records events: 1 x' creates buffer 1, 2 y holds it too, 3 it is applied, 4 and 5 it is released,
// 6 u creates buffer 2.
void recordTwo(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  const MaskPartial pending{ReduceOp::Sum, {10, 3}, 0};
  recorder.note(makeMaskEvent(recorder, pending, 1, 1, {.holder = "x'"}));
  recorder.note(makeMaskEvent(recorder, pending, 1, 2, {.holder = "y"}));
  Event event;
  event.kind = EventKind::MaskApplied;
  event.subject = 1;
  recorder.note(event);
  event.kind = EventKind::MaskReleased;
  event.count = 1;
  event.related = 2;
  recorder.note(event);
  event.count = 0;
  event.related = 1;
  recorder.note(event);
  recorder.note(makeMaskEvent(recorder, pending, 2, 1, {.holder = "u"}));
}

TEST(BuffersTable, CountsEventsUpToThePosition) {
  OfRun run(recordTwo);
  EXPECT_EQ(run.buffers(0), "");
  EXPECT_EQ(run.buffers(1), "* #1 | 1 | x' |  | 1 | 0 | 0 | 0\n");
  EXPECT_EQ(run.buffers(3), "* #1 | 2 | x', y |  | 1 | 1 | 1 | 0\n");
  EXPECT_EQ(run.buffers(5), "* #1 | 0 | released |  | 1 | 1 | 1 | 2\n");
  EXPECT_EQ(run.buffers(6),
            "#1 | 0 | released |  | 1 | 1 | 1 | 2\n"
            "* #2 | 1 | u |  | 6 | 0 | 0 | 0\n");
}

TEST(BuffersTable, ListsTheBuffersThatAreHeldAtTheEnd) {
  OfRun run(recordTwo);
  EXPECT_EQ(run.buffers(6, ProgramState::Ended),
            "#1 | 0 | released |  | 1 | 1 | 1 | 2\n"
            "* #2 | 1 | u | not released | 6 | 0 | 0 | 0\n");
  EXPECT_EQ(run.buffers(5, ProgramState::Ended), "* #1 | 0 | released |  | 1 | 1 | 1 | 2\n");
}

// Records an error about a conflicting mask while only #2 is held.
void recordConflict(Journal& journal) {
  recordTwo(journal);
  Event event;
  event.kind = EventKind::Error;
  journal.onString(journal.strings() + 1, "MaskBuffer has been materialized with conflicting data");
  event.name = journal.strings();
  journal.onEvent(journal.size() + 1, event);
}

TEST(BuffersTable, NamesTheConflictingBuffer) {
  OfRun run(recordConflict);
  EXPECT_EQ(run.buffers(7),
            "#1 | 0 | released |  | 1 | 1 | 1 | 2\n"
            "#2 | 1 | u | conflict | 6 | 0 | 0 | 0\n");
}

TEST(BufferEvents, AreThoseOfTheWholeRecording) {
  OfRun run(recordTwo);
  const Table table = run.events(3, 1);
  std::string text;
  for (const Row& row : table.rows.all()) {
    using Column = BufferEventsTable::Column;
    text += row.cells[Column::Event].text + " " + row.cells[Column::What].text + " " +
            row.cells[Column::Refcount].text + "\n";
    EXPECT_EQ(row.cells[Column::Inside].text, "");
    EXPECT_EQ(std::to_string(row.event), row.cells[Column::Event].text);
  }
  EXPECT_EQ(text, "1 made 1\n2 hit 2\n3 applied 2\n4 released 1\n5 released 0\n");
  EXPECT_EQ(table.rows.marked(), 2U);
  EXPECT_EQ(run.events(6, 1).rows.marked(), std::nullopt);
  EXPECT_EQ(run.events(6, 2).rows.size(), 1U);
  EXPECT_TRUE(run.events(6, 3).rows.empty());
}

}  // namespace
}  // namespace shardlens::view
