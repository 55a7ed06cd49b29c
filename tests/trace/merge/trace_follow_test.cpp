#include "core/trace/events/packed_events.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

class TraceFollow : public ::testing::Test {
 protected:
  TraceFollow() {
    recorder_.addSink(live_);
    recorder_.addSink(*writer_);
    recorder_.setCapture(CaptureLevel::All);
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
  std::unique_ptr<TraceWriter> writer_ = TraceWriter::create(path_).value();
  Journal live_;
  Recorder recorder_;
};

TEST_F(TraceFollow, EqualsANewReader) {
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
TEST_F(TraceFollow, TakesInAFewAtATime) {
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

TEST_F(TraceFollow, SeesASpanEndInABlockItHasRead) {
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

TEST_F(TraceFollow, OutlivesTheWriter) {
  recordSample(recorder_);
  const auto follower = TraceReader::open(path_).value();
  recordLong(recorder_, 10);
  ASSERT_TRUE(writer_->close());
  EXPECT_TRUE(follower->refresh().value());
  expectSame(live_, follower->journal());
  expectSame(live_, TraceReader::open(path_).value()->journal());
}

TEST_F(TraceFollow, KnowsThatTheWriterHasClosed) {
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

TEST_F(TraceFollow, HasNotEndedBeforeTheRestIsRead) {
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

TEST_F(TraceFollow, TheLastToLeaveTidiesUp) {
  recordSample(recorder_);
  auto follower = TraceReader::open(path_).value();
  ASSERT_TRUE(writer_->close());
  follower.reset();
  EXPECT_THAT(folder_.names(), ElementsAre("run.shardlens"));
  expectSame(live_, TraceReader::open(path_).value()->journal());
}

TEST_F(TraceFollow, WritesPendingEventsWithoutAFlush) {
  recorder_.note(Event{});
  const auto follower = TraceReader::open(path_).value();
  // Without a flush, the writer's thread writes the event. The loop ends only then.
  while (follower->journal().size() == 0) ASSERT_TRUE(follower->refresh().has_value());
  expectSame(live_, follower->journal());
}

}  // namespace
}  // namespace shardlens
