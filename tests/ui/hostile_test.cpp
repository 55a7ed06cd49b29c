#include "core/trace/file/page_checksums.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/mutations.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <QSignalSpy>
#include <iostream>

namespace shardlens {
namespace {

struct OnDamage : Window {
  OnDamage() {
    writeLookup(path("whole.shardlens"));
    QFile::copy(path("whole.shardlens"), path("run.shardlens"));
  }

  // Applies an SQL change to the recording, then opens and walks it. Returns false if it is
  // refused.
  bool survives(const char* change, EventId positions = 100) {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(path("run.shardlens").toUtf8().constData(), &handle, SQLITE_OPEN_READWRITE,
                    checkedFileSystem());
    const int code = sqlite3_exec(handle, change, nullptr, nullptr, nullptr);
    EXPECT_EQ(code, SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
    return walked(positions);
  }

  void changeEvents(void (*change)(Event&)) {
    changeBlock(path("run.shardlens").toStdString(), 1, [&](std::span<Event> events) {
      for (Event& event : events) change(event);
    });
  }

  // Opens the recording and shows up to `looks` positions. Returns false if it is refused.
  bool walked(EventId positions = 100) {
    if (!open(path("run.shardlens"))) {
      EXPECT_FALSE(message().isEmpty());
      return false;
    }
    const EventId size = window.cursor().size();
    const EventId stride = 1 + size / positions;
    for (EventId position = size; position > 0; position -= std::min(position, stride)) {
      moveTo(position);
    }
    moveTo(0);
    window.closeDocument();
    return true;
  }

  void moveTo(EventId position) {
    window.cursor().moveTo(position);
    QTest::qWaitFor([this, position] { return window.cursor().position() == position; });
    QSignalSpy redrawn(&window, &MainWindow::redrawn);
    redrawn.wait(1000);
    window.grab();
    constexpr qsizetype kLongest = 21000;
    EXPECT_LT(window.windowTitle().size(), kLongest);
    for (const QLabel* label : window.findChildren<QLabel*>()) {
      EXPECT_LT(label->text().size(), kLongest) << qPrintable(label->objectName());
    }
  }
};

// Imported recordings, and those of Python programs, have no scenario.
TEST(Hostile, ARecordingWithoutAScenarioOpensWithoutAProgram) {
  for (const char* change : {"DELETE FROM meta WHERE key='scenario'",
                             "INSERT OR REPLACE INTO meta VALUES('scenario', '')",
                             "INSERT OR REPLACE INTO meta VALUES('scenario', 'no json')",
                             "INSERT OR REPLACE INTO meta VALUES('scenario', '[1, 2]')",
                             "INSERT OR REPLACE INTO meta VALUES('scenario', '{\"steps\": 7}')"}) {
    OnDamage on;
    EXPECT_TRUE(on.survives(change)) << change;
  }
}

TEST(Hostile, StepsOutsideTheScenario) {
  OnDamage on;
  on.changeEvents([](Event& event) { event.step = 0x7fffffff; });
  EXPECT_TRUE(on.walked());
}

TEST(Hostile, LongTextsAreCutWhenShown) {
  for (const char* change :
       {"UPDATE meta SET value=replace(hex(zeroblob(5000000)), '00', 'x')"
        " WHERE key IN ('backend', 'masking', 'title')",
        "INSERT INTO meta VALUES('emulate', replace(hex(zeroblob(5000000)), '00', 'x'))",
        "UPDATE meta SET value=replace(hex(zeroblob(5000000)), '00', 'x') WHERE key='scenario'",
        "UPDATE strings SET text=replace(hex(zeroblob(500000)), '00', 'x')"}) {
    OnDamage on;
    EXPECT_TRUE(on.survives(change, 4)) << change;
  }
}

// All rows have the same shape, which no tensor of this run can have.
TEST(Hostile, EqualButWrongShapes) {
  for (const char* change :
       {"UPDATE specs SET shape='[10,3]';"
        "UPDATE shard_values SET shape='[10,3]', content=id; DELETE FROM contents;"
        "INSERT INTO contents SELECT v.id, s.size, zeroblob(s.size) FROM shard_values v JOIN"
        " (SELECT id, 30*(CASE dtype WHEN 'int64' THEN 8 WHEN 'bool' THEN 1 ELSE 4 END) AS size"
        " FROM tensors) s ON s.id=v.tensor",
        "UPDATE specs SET shape='[1000000,1000000]';"
        "UPDATE shard_values SET shape='[1000000,1000000]', content=NULL"}) {
    OnDamage on;
    EXPECT_TRUE(on.survives(change)) << change;
  }
}

// The chart has drawn a small refcount before.
TEST(Hostile, ARefcountOfBillions) {
  OnDamage on;
  ASSERT_TRUE(on.open(on.path("whole.shardlens")));
  on.moveTo(on.window.cursor().size());
  on.changeEvents([](Event& event) {
    if (isOfMask(event.kind)) {
      event.count = 0x7fffffff;
    }
  });
  EXPECT_TRUE(on.walked());
}

// Dry runs can have meshes of this size.
TEST(Hostile, AMeshOfAnySize) {
  for (const char* change : {"UPDATE meta SET value='100000:tp' WHERE key='mesh'",
                             "UPDATE meta SET value='4096x4096:dp,tp' WHERE key='mesh'",
                             "UPDATE meta SET value='16777216:tp' WHERE key='mesh'"}) {
    OnDamage on;
    EXPECT_TRUE(on.survives(change, 4)) << change;
  }
}

TEST(Hostile, AnyDamageIsShownOrRefused) {
  OnDamage on;
  const Mutations mutations(on.path("whole.shardlens").toStdString());
  const auto [first, count] = mutationRange(40);
  for (std::uint64_t number = first; number < first + count; ++number) {
    std::cout << "mutation " << number << ": " << std::flush;
    std::cout << mutations.write(number, on.path("run.shardlens").toStdString()) << std::endl;
    on.walked(/*positions=*/4);
  }
}

}  // namespace
}  // namespace shardlens
