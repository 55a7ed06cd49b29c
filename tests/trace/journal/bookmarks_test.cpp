// Tests bookmarks in the file of a recording, while others read or write it.
#include "core/trace/file/bookmark_file.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_create.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/journal_copy.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class BookmarkFile : public ::testing::Test {
 protected:
  void record(const std::filesystem::path& path) {
    const auto writer = TraceWriter::create(path).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recordSample(recorder);
    ASSERT_TRUE(writer->close());
  }
  Result<void> keep(EventId event, std::optional<std::string> note) {
    const BookmarkChange change{event, std::move(note)};
    return keepBookmarks(path_, {&change, 1});
  }
  Bookmarks read() { return TraceReader::open(path_).value()->journal().bookmarks(); }
  std::string check() {
    Database database(path_, Database::Access::ReadOnly);
    Statement row(database, "PRAGMA integrity_check");
    row.step();
    return std::string(row.text(0));
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
};

TEST_F(BookmarkFile, IsThereForTheNextReader) {
  record(path_);
  EXPECT_THAT(read(), IsEmpty());
  ASSERT_TRUE(keep(3, "why here?"));
  ASSERT_TRUE(keep(1, ""));
  EXPECT_THAT(read(), ElementsAre(Pair(1U, ""), Pair(3U, "why here?")));
  ASSERT_TRUE(keep(3, "so that is why"));
  ASSERT_TRUE(keep(1, std::nullopt));
  EXPECT_THAT(read(), ElementsAre(Pair(3U, "so that is why")));
  EXPECT_EQ(check(), "ok");
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "-journal"));
}

TEST_F(BookmarkFile, ReachesAnOpenReader) {
  record(path_);
  const auto follower = TraceReader::open(path_).value();
  EXPECT_FALSE(follower->refresh().value());
  ASSERT_TRUE(keep(2, "seen elsewhere"));
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_THAT(follower->journal().bookmarks(), ElementsAre(Pair(2U, "seen elsewhere")));
  EXPECT_FALSE(follower->refresh().value());
}

// Files of format 2.0 have no table of bookmarks.
TEST_F(BookmarkFile, MakesTheTableInAnOlderFile) {
  record(path_);
  {
    Database database(path_, Database::Access::ReadWrite);
    database.execute(
        "DROP TABLE bookmarks; UPDATE meta SET value='2.0' WHERE key='format'; "
        "PRAGMA user_version=2");
  }
  const auto follower = TraceReader::open(path_).value();
  EXPECT_THAT(follower->journal().bookmarks(), IsEmpty());
  ASSERT_TRUE(keep(2, "new"));
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_THAT(follower->journal().bookmarks(), ElementsAre(Pair(2U, "new")));
  Database database(path_, Database::Access::ReadOnly);
  Statement format(database, "SELECT value FROM meta WHERE key='format'");
  ASSERT_TRUE(format.step());
  EXPECT_EQ(format.text(0), "2.1");
}

// A writer, a follower and a thread that adds bookmarks use the file at the same time. No access is
// refused, and nothing is lost.
TEST_F(BookmarkFile, FollowsARunThatGrows) {
  constexpr EventId kMarks = 40;
  const auto writer = TraceWriter::create(path_).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recordSample(recorder);
  ASSERT_TRUE(writer->flush());
  const auto follower = TraceReader::open(path_).value();
  std::atomic<int> refused = 0;
  std::thread person([&] {
    for (EventId id = 1; id <= kMarks; ++id) {
      if (!keep(id, "note " + std::to_string(id))) ++refused;
    }
  });
  for (int round = 0; round < 30; ++round) {
    recordLong(recorder, 100);
    ASSERT_TRUE(writer->flush());
    ASSERT_TRUE(follower->refresh());
  }
  person.join();
  ASSERT_TRUE(writer->close());
  while (follower->refresh().value()) {
  }
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(follower->journal().bookmarks().size(), kMarks);
  EXPECT_EQ(follower->journal().size(), TraceReader::open(path_).value()->journal().size());
  EXPECT_EQ(read(), follower->journal().bookmarks());
  EXPECT_EQ(check(), "ok");
}

TEST_F(BookmarkFile, GoesWithACopyAndWithAPart) {
  record(path_);
  ASSERT_TRUE(keep(2, "kept"));
  const auto copy = folder_ / "copy.shardlens";
  ASSERT_TRUE(copyRecording(path_, copy));
  EXPECT_THAT(TraceReader::open(copy).value()->journal().bookmarks(),
              ElementsAre(Pair(2U, "kept")));

  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  const Event last = journal.at(journal.size());
  ASSERT_GT(last.step, 0);
  ASSERT_TRUE(keep(journal.size(), "the end"));
  ASSERT_TRUE(reader->refresh().value());
  const auto part = folder_ / "part.shardlens";
  const auto writer = TraceWriter::create(part).value();
  copyJournal(journal, {.steps = {{last.step, last.step}}}, *writer);
  ASSERT_TRUE(writer->close());
  const auto trimmed = TraceReader::open(part).value();
  ASSERT_LT(trimmed->journal().size(), journal.size());
  EXPECT_EQ(trimmed->journal().bookmarks().rbegin()->first, trimmed->journal().size());
  EXPECT_EQ(trimmed->journal().bookmarks().rbegin()->second, "the end");
}

// Each process numbers its events separately. If two have a bookmark on a merged event, the note of
// the first counts.
TEST_F(BookmarkFile, OfSeveralProcessesIsOfTheMergedEvent) {
  for (int rank = 0; rank < 2; ++rank) {
    const auto writer =
        TraceWriter::create(folder_ / ("rank-" + std::to_string(rank) + ".shardlens")).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("hosted", std::to_string(rank));
    for (const char* name : {"first", "alone", "both"}) {
      if (rank == 0 && name == std::string("alone")) continue;
      Event event;
      event.kind = EventKind::Operator;
      event.name = recorder.intern(name);
      recorder.note(event);
    }
    ASSERT_TRUE(writer->close());
  }
  const auto run = TraceReader::open(folder_.path()).value();
  const Journal& journal = run->journal();
  ASSERT_EQ(journal.size(), 3U);
  ASSERT_EQ(journal.name(journal.at(2)), "alone");
  const auto both = run->recordedAt(3);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].path.filename(), "rank-0.shardlens");
  EXPECT_EQ(both[0].event, 2U);
  EXPECT_EQ(both[1].event, 3U);
  ASSERT_EQ(run->recordedAt(2).size(), 1U);
  EXPECT_EQ(run->recordedAt(2)[0].path.filename(), "rank-1.shardlens");

  for (const auto& [path, event] : both) {
    const BookmarkChange change{event, path.filename().string()};
    ASSERT_TRUE(keepBookmarks(path, {&change, 1}));
  }
  EXPECT_TRUE(run->refresh().value());
  EXPECT_THAT(journal.bookmarks(), ElementsAre(Pair(3U, "rank-0.shardlens")));
}

TEST_F(BookmarkFile, RefusesInvalidBookmarks) {
  EXPECT_THAT(keep(1, "x").error().message, HasSubstr("does not exist"));
  std::ofstream(path_) << "not a database, however long it is";
  EXPECT_THAT(keep(1, "x").error().message, HasSubstr("is not a Shardlens recording"));
  std::filesystem::remove(path_);
  record(path_);
  {
    Database database(path_, Database::Access::ReadWrite);
    database.execute("CREATE TRIGGER t AFTER INSERT ON bookmarks BEGIN DELETE FROM meta; END");
  }
  EXPECT_THAT(keep(1, "x").error().message, HasSubstr("it has a trigger"));
  EXPECT_THAT(read(), IsEmpty());
}

TEST_F(BookmarkFile, OfNoEventIsDamage) {
  record(path_);
  Database(path_, Database::Access::ReadWrite).execute("INSERT INTO bookmarks VALUES(0, 'x')");
  const auto opened = TraceReader::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("is damaged: a bookmark is of event 0"));
}

}  // namespace
}  // namespace shardlens
