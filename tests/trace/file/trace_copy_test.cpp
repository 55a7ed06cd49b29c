// Tests copies of recordings that grow, and of recordings whose writer died.
#include "core/trace/file/trace_create.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace shardlens {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Copies the files of a running recording, as a killed writer leaves them: not closed.
void leaveAsKilled(const fs::path& running, const fs::path& left) {
  fs::copy_file(running, left);
  fs::copy_file(running.string() + "-wal", left.string() + "-wal");
}

TEST(TraceCopy, OfAGrowingRecordingGoesAsFarAsThat) {
  const ScratchFolder folder;
  Journal live;
  const auto writer = TraceWriter::create(folder / "run.shardlens").value();
  Recorder recorder;
  recorder.addSink(live);
  recorder.addSink(*writer);
  recorder.setCapture(CaptureLevel::All);
  recordSample(recorder);
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(copyRecording(folder / "run.shardlens", folder / "copy.shardlens"));
  recorder.note(Event{});
  ASSERT_TRUE(writer->flush());

  const auto copy = TraceReader::open(folder / "copy.shardlens").value();
  EXPECT_EQ(copy->journal().size() + 1, live.size());
  EXPECT_FALSE(copy->mayGrow());
  EXPECT_THAT(copy->lostRanks(), IsEmpty());
  EXPECT_EQ(copy->journal().values().size(), live.values().size());

  // A copy replaces an existing file.
  ASSERT_TRUE(copyRecording(folder / "run.shardlens", folder / "copy.shardlens"));
  expectSame(live, TraceReader::open(folder / "copy.shardlens").value()->journal());
}

TEST(TraceCopy, ReplacesNothingElse) {
  const ScratchFolder folder;
  TraceWriter::create(folder / "run.shardlens").value().reset();
  std::ofstream(folder / "letter.txt") << "Dear Sir or Madam";
  const auto copied = copyRecording(folder / "run.shardlens", folder / "letter.txt");
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().message, HasSubstr("it exists and is not a Shardlens recording"));
  EXPECT_FALSE(copyRecording(folder / "none.shardlens", folder / "copy.shardlens"));
  EXPECT_THAT(folder.names(), ElementsAre("letter.txt", "run.shardlens"));
}

TEST(TraceLost, AProcessThatDidNotCloseItsRecordingIsLost) {
  const ScratchFolder folder;
  const ScratchFolder dead;
  for (const char* rank : {"0", "1"}) {
    const std::string name = std::string("rank-") + rank + ".shardlens";
    const auto writer = TraceWriter::create(folder / name).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("hosted", rank);
    recorder.note(Event{});
    ASSERT_TRUE(writer->flush());
    const auto running = TraceReader::open(folder / name).value();
    EXPECT_THAT(running->lostRanks(), IsEmpty());
    if (*rank == '1') leaveAsKilled(folder / name, dead / name);
    ASSERT_TRUE(writer->close());
    if (*rank == '0') fs::copy_file(folder / name, dead / name);
  }
  EXPECT_THAT(TraceReader::open(folder.path()).value()->lostRanks(), IsEmpty());
  EXPECT_THAT(TraceReader::open(dead.path()).value()->lostRanks(), ElementsAre(1));
  EXPECT_THAT(TraceReader::open(dead / "rank-1.shardlens").value()->lostRanks(), ElementsAre(1));
}

TEST(TraceLost, AProcessThatWasKilledBeforeItsFirstEventIsLost) {
  const ScratchFolder folder;
  const ScratchFolder dead;
  const auto writer = TraceWriter::create(folder / "rank-1.shardlens").value();
  const auto starting = TraceReader::open(folder / "rank-1.shardlens").value();
  EXPECT_TRUE(starting->mayGrow());
  writer->onMeta("hosted", "1");
  EXPECT_TRUE(starting->refresh().value());
  EXPECT_TRUE(starting->mayGrow());
  leaveAsKilled(folder / "rank-1.shardlens", dead / "rank-1.shardlens");
  const auto killed = TraceReader::open(dead / "rank-1.shardlens").value();
  EXPECT_FALSE(killed->mayGrow());
  EXPECT_THAT(killed->lostRanks(), ElementsAre(1));
}

}  // namespace
}  // namespace shardlens
