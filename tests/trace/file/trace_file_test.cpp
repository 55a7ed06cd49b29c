#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

std::string whyNot(const std::filesystem::path& path) {
  const auto writer = TraceWriter::create(path);
  return writer ? "" : writer.error().message;
}

// Records the same events to a file and to a journal, and expects the file to read as the journal.
void expectRoundTrip(const std::filesystem::path& path, CaptureLevel level, int operators) {
  Journal live;
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(live);
  recorder.addSink(*writer);
  recorder.setCapture(level);
  recordSample(recorder);
  recordLong(recorder, operators);
  ASSERT_TRUE(writer->close());
  const auto reader = TraceReader::open(path).value();
  expectSame(live, reader->journal());
}

TEST(TraceFile, ReadsTheWrittenRecording) {
  const ScratchFolder folder;
  expectRoundTrip(folder / "run.shardlens", CaptureLevel::All, 700);
  EXPECT_THAT(folder.names(), ElementsAre("run.shardlens"));
  expectRoundTrip(folder / "run.shardlens", CaptureLevel::Statistics, 10);
  expectRoundTrip(folder / "with space?#%.shardlens", CaptureLevel::None, 1);
}

// A reader that follows sees the exposed time before the end of the span, or both at once.
TEST(TraceFile, KeepsExposedTimes) {
  const ScratchFolder folder;
  auto writer = TraceWriter::create(folder / "run.shardlens").value();
  for (const EventId id : {EventId{1}, EventId{2}}) {
    writer->onEvent(id, {.duration = Event::kRunning, .kind = EventKind::Collective}, {});
  }
  ASSERT_TRUE(writer->flush());
  const auto reader = TraceReader::open(folder / "run.shardlens").value();
  const auto read = [&] {
    while (reader->refresh().value()) {
    }
    return std::pair(reader->journal().at(1), reader->journal().at(2));
  };
  EXPECT_EQ(read().first.exposed, 0);
  writer->onExposed(1, 30);
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(read().first.exposed, 30);
  EXPECT_EQ(read().first.duration, Event::kRunning);
  writer->onEnd(1, 40);
  writer->onExposed(2, 50);
  writer->onEnd(2, 60);
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read().first.duration, 40);
  EXPECT_EQ(read().second.exposed, 50);
}

TEST(TraceFile, RequestsReasonsAndTimesByDefault) {
  const ScratchFolder folder;
  const auto eventsAlone =
      TraceWriter::create(folder / "events.shardlens", {.times = false, .reasons = false}).value();
  const auto whole = TraceWriter::create(folder / "whole.shardlens").value();
  Recorder recorder;
  recorder.addSink(*eventsAlone);
  EXPECT_FALSE(recorder.recordsTimes());
  EXPECT_FALSE(recorder.recordsReasons());
  recorder.addSink(*whole);
  EXPECT_TRUE(recorder.recordsTimes());
  EXPECT_TRUE(recorder.recordsReasons());
}

TEST(TraceFile, KeepsEmptyShardsAndOddTexts) {
  const ScratchFolder folder;
  Journal live;
  {
    auto writer = TraceWriter::create(folder / "run.shardlens").value();
    Recorder recorder;
    recorder.addSink(live);
    recorder.addSink(*writer);
    recorder.setCapture(CaptureLevel::All);
    recorder.meta("scenario", "");
    const Placements all = {Replicate{},        Shard{1},
                            StridedShard{0, 2}, Partial{ReduceOp::Max},
                            NormPartial{3},     MaskPartial{ReduceOp::Sum, {10, 3}, 0}};
    const TensorId id = recorder.addTensor("w'", {DType::BFloat16, {0, 3}, all});
    const auto mesh = DeviceMesh::make({2}, {"a:b,\"c\""}, {6, 2}).value();
    recorder.addTensor("on some ranks", {DType::Int64, {4}, {Shard{0}}, shared(mesh)});
    recorder.note(Event{});
    recorder.intern(std::string("a\0b \xc3\xa9", 6));
    recordValue(recorder, valueOf<std::uint16_t>(id, 3, {0, 3}, {}));
  }
  EXPECT_THAT(folder.names(), ElementsAre("run.shardlens"));
  const auto reader = TraceReader::open(folder / "run.shardlens").value();
  expectSame(live, reader->journal());
  EXPECT_EQ(reader->journal().text(3).size(), 6U);
  EXPECT_EQ(reader->journal().tensor(2).mesh->ranks(), (std::vector<int>{6, 2}));
  const Journal& journal = reader->journal();
  EXPECT_NE(journal.elements(journal.value(1, 3, 1).value()), nullptr);
}

TEST(TraceFile, AnEmptyRecordingOpens) {
  const ScratchFolder folder;
  ASSERT_TRUE(TraceWriter::create(folder / "run.shardlens").value()->close());
  EXPECT_EQ(TraceReader::open(folder / "run.shardlens").value()->journal().size(), 0U);
}

TEST(TraceFile, RecordsNothingAfterClose) {
  const ScratchFolder folder;
  auto writer = TraceWriter::create(folder / "run.shardlens").value();
  writer->onEvent(1, Event{});
  ASSERT_TRUE(writer->close());
  writer->onEvent(2, Event{});
  EXPECT_TRUE(writer->flush());
  EXPECT_TRUE(writer->close());
  EXPECT_EQ(TraceReader::open(folder / "run.shardlens").value()->journal().size(), 1U);
}

TEST(TraceFile, ReplacesAnOlderRecordingThatIsBeingRead) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  auto first = TraceWriter::create(path).value();
  first->onEvent(1, Event{});
  first->onEvent(2, Event{});
  ASSERT_TRUE(first->flush());
  const auto oldReader = TraceReader::open(path).value();
  auto second = TraceWriter::create(path).value();
  second->onEvent(1, Event{});
  ASSERT_TRUE(second->flush());
  first.reset();
  const auto newReader = TraceReader::open(path).value();
  EXPECT_EQ(newReader->journal().size(), 1U);
  second->onEvent(2, Event{});
  second->onEvent(3, Event{});
  ASSERT_TRUE(second->flush());
  ASSERT_TRUE(newReader->refresh().value());
  EXPECT_EQ(newReader->journal().size(), 3U);
  EXPECT_EQ(oldReader->journal().size(), 2U);
}

TEST(TraceFile, AWriterThatWasReplacedReportsItAndLeavesTheNewRecordingAlone) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  auto first = TraceWriter::create(path).value();
  first->onEvent(1, Event{});
  auto second = TraceWriter::create(path).value();
  second->onEvent(1, Event{});
  second->onEvent(2, Event{});
  ASSERT_TRUE(second->flush());
  const auto closed = first->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message,
            "cannot write " + path.string() +
                ": another recording replaced the file while it was recorded");
  EXPECT_EQ(TraceReader::open(path).value()->journal().size(), 2U);
  ASSERT_TRUE(second->close());
  EXPECT_EQ(TraceReader::open(path).value()->journal().size(), 2U);
  EXPECT_THAT(folder.names(), ElementsAre("run.shardlens"));
}

TEST(TraceFile, AFileThatIsRemovedWhileItIsWrittenIsReported) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  auto writer = TraceWriter::create(path).value();
  writer->onEvent(1, Event{});
  ASSERT_TRUE(writer->flush());
  std::filesystem::remove(path);
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message,
            "cannot write " + path.string() + ": the file was removed while it was recorded");
}

TEST(TraceFile, AFileThatMayNotBeReadIsReportedWithTheReason) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  ASSERT_TRUE(TraceWriter::create(path).value()->close());
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const bool isRoot = ::geteuid() == 0;  // root may read it
  constexpr uid_t kOtherUser = 65534;
  if (isRoot) ASSERT_EQ(::seteuid(kOtherUser), 0);
  const auto opened = TraceReader::open(path);
  if (isRoot) ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, path.string() + " cannot be read: Permission denied");
}

TEST(TraceFile, RefusesAPlaceItCannotWriteAndLeavesNothing) {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  EXPECT_EQ(whyNot(folder / "none" / "run.shardlens"),
            "cannot write " + path("none/run.shardlens") + ": the folder " + path("none") +
                " does not exist");
  EXPECT_EQ(whyNot(folder.path()), "cannot write " + folder.path().string() + ": it is a folder");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(whyNot(path("pipe")), "cannot write " + path("pipe") + ": it is not a regular file");
  EXPECT_EQ(whyNot("/proc/run.shardlens").substr(0, 33), "cannot write /proc/run.shardlens:");
  EXPECT_THAT(folder.names(), ElementsAre("pipe"));
}

TEST(TraceFile, RefusesToReplaceAFileThatIsNotARecording) {
  const ScratchFolder folder;
  const auto path = folder / "thesis.txt";
  std::ofstream(path) << "years of work";
  EXPECT_EQ(whyNot(path),
            "cannot write " + path.string() + ": it exists and is not a Shardlens recording");
  EXPECT_EQ(std::filesystem::file_size(path), 13U);
  EXPECT_THAT(folder.names(), ElementsAre("thesis.txt"));
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(whyNot(path), "");
}

TEST(TraceFile, FollowsASymbolicLink) {
  const ScratchFolder folder;
  ASSERT_TRUE(TraceWriter::create(folder / "real.shardlens").value()->close());
  std::filesystem::create_symlink(folder / "real.shardlens", folder / "link.shardlens");
  auto writer = TraceWriter::create(folder / "link.shardlens").value();
  writer->onEvent(1, Event{});
  ASSERT_TRUE(writer->close());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.shardlens"));
  EXPECT_EQ(TraceReader::open(folder / "real.shardlens").value()->journal().size(), 1U);
}

// Another connection locks the file. Data that cannot be written stays in memory up to a limit,
// then the run is blocked.
TEST(TraceFile, ADiskThatIsTooSlowHoldsTheRunBack) {
  constexpr EventId kFarTooMany = 10'000;  // exceeds the writer's memory limit with such values
  ValueRecord value = valueOf<float>(0, 0, {1 << 20}, std::vector<float>(1 << 20));
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  const auto writer = TraceWriter::create(path, {.times = false, .reasons = false}).value();
  EventSink& sink = *writer;
  sink.onEvent(1, Event{});
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(writer->waited().count(), 0);
  EXPECT_FALSE(writer->isBehind() || writer->isFull());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::atomic<EventId> done = 1;
  std::atomic<bool> enough = false;
  std::thread run([&] {
    for (EventId id = 2; id <= kFarTooMany && !enough; ++id) {
      sink.onEvent(id, Event{});
      value.event = id;
      sink.onValue(value);
      done = id;
    }
  });
  while (writer->waited().count() == 0 && done < kFarTooMany) std::this_thread::yield();
  EXPECT_TRUE(writer->isBehind());
  EXPECT_TRUE(writer->isFull());
  std::thread waits([&] { writer->waitForRoom(); });
  enough = true;
  EXPECT_LT(done, kFarTooMany);
  EXPECT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  run.join();
  waits.join();
  EXPECT_FALSE(writer->isFull());
  ASSERT_TRUE(writer->close());
  const auto reader = TraceReader::open(path).value();
  EXPECT_EQ(reader->journal().size(), done);
  EXPECT_EQ(reader->journal().meta("waited"), std::to_string(writer->waited().count()));
}

}  // namespace
}  // namespace shardlens
