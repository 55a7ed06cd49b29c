#include "core/trace/events/packed_events.h"
#include "core/trace/file/bookmark_file.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

// Sets the journal mode before the writer is created.
class Mode {
 public:
  explicit Mode(const char* mode) { ::setenv("SHARDLENS_JOURNAL", mode, 1); }
  ~Mode() { ::unsetenv("SHARDLENS_JOURNAL"); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

class TraceFollow : public ::testing::TestWithParam<const char*> {
 protected:
  TraceFollow() {
    recorder_.addSink(live_);
    recorder_.addSink(*writer_);
    recorder_.setCapture(CaptureLevel::All);
  }

  const Mode mode_{GetParam()};
  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
  std::unique_ptr<TraceWriter> writer_ = TraceWriter::create(path_).value();
  Journal live_;
  Recorder recorder_;
};
INSTANTIATE_TEST_SUITE_P(Modes, TraceFollow, ::testing::Values("wal", "rollback"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(TraceFollow, EqualsANewReader) {
  const auto follower = TraceReader::open(path_).value();
  EXPECT_FALSE(follower->refresh().value());
  recordSample(recorder_);
  for (int round = 0; round < 4; ++round) {
    recordLong(recorder_, 300);
    ASSERT_TRUE(writer_->flush());
    EXPECT_TRUE(follower->refresh().value());
    EXPECT_FALSE(follower->refresh().value());
    expectSame(live_, follower->journal());
    expectSame(live_, TraceReader::open(path_).value()->journal());
  }
}

// A refresh reads a limited number of events, so that it does not block a window for long.
TEST_P(TraceFollow, TakesInAFewAtATime) {
  constexpr EventId kMany = 100 * kBlockEvents;
  const EventId early = recorder_.begin(Event{});
  ASSERT_TRUE(writer_->flush());
  const auto follower = TraceReader::open(path_).value();
  Event event;
  for (EventId id = 2; id <= kMany; ++id) {
    event.name = recorder_.intern("event " + std::to_string(id % 1000));
    recorder_.note(event);
  }
  ASSERT_TRUE(writer_->flush());
  EventId size = 1;
  int slices = 0;
  bool hasEnded = false;
  while (follower->refresh().value()) {
    EXPECT_LE(follower->journal().size() - size, kMany / 2);
    size = follower->journal().size();
    EXPECT_TRUE(follower->mayGrow());
    // The recording changes while the follower still reads.
    if (++slices == 2) {
      recorder_.end(early);
      hasEnded = true;
      ASSERT_TRUE(writer_->flush());
    }
  }
  EXPECT_TRUE(hasEnded);
  EXPECT_EQ(size, kMany);
  EXPECT_GE(follower->journal().at(early).duration, 0);
  for (EventId id = 1; id <= kMany; ++id) {
    ASSERT_EQ(follower->journal().at(id), live_.at(id)) << id;
  }
}

TEST_P(TraceFollow, SeesASpanEndInABlockItHasRead) {
  const EventId early = recorder_.begin(Event{});
  for (EventId i = 0; i < 3 * kBlockEvents; ++i) recorder_.note(Event{});
  ASSERT_TRUE(writer_->flush());
  const auto follower = TraceReader::open(path_).value();
  EXPECT_EQ(follower->journal().at(early).duration, Event::kRunning);
  recorder_.end(early);
  ASSERT_TRUE(writer_->flush());
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_GE(follower->journal().at(early).duration, 0);
  expectSame(live_, follower->journal());
}

TEST_P(TraceFollow, OutlivesTheWriter) {
  recordSample(recorder_);
  const auto follower = TraceReader::open(path_).value();
  recordLong(recorder_, 10);
  ASSERT_TRUE(writer_->close());
  EXPECT_TRUE(follower->refresh().value());
  expectSame(live_, follower->journal());
  expectSame(live_, TraceReader::open(path_).value()->journal());
}

TEST_P(TraceFollow, KnowsThatTheWriterHasClosed) {
  const auto follower = TraceReader::open(path_).value();
  EXPECT_TRUE(follower->mayGrow());  // nothing was recorded yet
  recordSample(recorder_);
  ASSERT_TRUE(writer_->flush());
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_TRUE(follower->mayGrow());
  ASSERT_TRUE(writer_->close());
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_FALSE(follower->mayGrow());
}

TEST_P(TraceFollow, HasNotEndedBeforeTheRestIsRead) {
  recordSample(recorder_);
  ASSERT_TRUE(writer_->flush());
  const auto follower = TraceReader::open(path_).value();
  recordLong(recorder_, 10);
  ASSERT_TRUE(writer_->close());
  EXPECT_TRUE(follower->mayGrow());
  EXPECT_TRUE(follower->refresh().value());
  EXPECT_FALSE(follower->mayGrow());
  expectSame(live_, follower->journal());
}

TEST_P(TraceFollow, TheLastToLeaveTidiesUp) {
  recordSample(recorder_);
  auto follower = TraceReader::open(path_).value();
  ASSERT_TRUE(writer_->close());
  follower.reset();
  EXPECT_THAT(folder_.names(), ElementsAre("run.shardlens"));
  expectSame(live_, TraceReader::open(path_).value()->journal());
}

TEST_P(TraceFollow, BookmarksAreKeptWhileTheWriterRuns) {
  recordSample(recorder_);
  ASSERT_TRUE(writer_->flush());
  const std::vector<BookmarkChange> changes = {{2, "here"}};
  ASSERT_TRUE(keepBookmarks(path_, changes));
  recordLong(recorder_, 10);
  ASSERT_TRUE(writer_->close());
  const auto reader = TraceReader::open(path_).value();
  EXPECT_EQ(reader->journal().bookmarks(), (Bookmarks{{2, "here"}}));
  EXPECT_EQ(reader->journal().size(), live_.size());
}

TEST_P(TraceFollow, WritesPendingEventsWithoutAFlush) {
  recorder_.note(Event{});
  const auto follower = TraceReader::open(path_).value();
  // Without a flush, the writer's thread writes the event. The loop ends only then.
  while (follower->journal().size() == 0) ASSERT_TRUE(follower->refresh().has_value());
  expectSame(live_, follower->journal());
}

}  // namespace
}  // namespace shardlens
