#include "core/trace/file/ring_writer.h"

#include "core/trace/file/database.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>

namespace shardlens {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RingExtent, IsATimeOrSteps) {
  EXPECT_EQ(parseRingExtent("200steps")->steps, 200);
  EXPECT_EQ(parseRingExtent("10min")->nanoseconds, 600'000'000'000);
  EXPECT_EQ(parseRingExtent("90s")->nanoseconds, 90'000'000'000);
  EXPECT_EQ(parseRingExtent("2h")->nanoseconds, 7'200'000'000'000);
  for (const char* text : {"", "min", "0steps", "10", "10 min", "-1s", "5days"}) {
    EXPECT_THAT(parseRingExtent(text).error().message,
                HasSubstr("expected for example 10min, 90s, 2h or 200steps"));
  }
}

class RingWriterTest : public ::testing::Test {
 protected:
  void begin(const char* extent) {
    ring_ = RingWriter::create(path_, parseRingExtent(extent).value()).value();
    recorder_.setClock([this] { return time_ += 1'000'000; });
    recorder_.setCapture(CaptureLevel::All);
    recorder_.addSink(*ring_);
    recorder_.meta("hosted", "0");
    recorder_.setRanks("0");
    recorder_.setStep(0, 1);
    weight_ = recorder_.addTensor("weight", {DType::Float32, {4}, {Shard{0}}});
    recorder_.note(makeResult(recorder_, "weight", weight_, 16, 0));
  }
  // Records a step with an operator.
  void step(int number) {
    recorder_.setStep(number - 1, 1);
    const EventId step = recorder_.begin(makeStep(recorder_, "step"));
    const std::vector<TensorId> inputs{weight_};
    recorder_.end(recorder_.begin(makeOperator(recorder_, "aten.relu"), inputs));
    recorder_.end(step);
  }
  void flush() const {
    for (const auto& writer : ring_->writers()) ASSERT_TRUE(writer->flush());
  }
  void value(float element) {
    const TensorId tensor = recorder_.addTensor("x", {DType::Float32, {1}, {Shard{0}}});
    recorder_.note(makeResult(recorder_, "x", tensor, 4, 0));
    recordValue(recorder_, valueOf<float>(tensor, 0, {1}, {element}));
  }
  // Returns the steps of a recording, and checks that its tensors are known.
  static std::vector<int> stepsOf(const fs::path& path) {
    const auto reader = TraceReader::open(path);
    EXPECT_TRUE(reader) << reader.error().message;
    std::vector<int> steps;
    const Journal& journal = (*reader)->journal();
    for (EventId id = 1; id <= journal.size(); ++id) {
      const Event event = journal.at(id);
      if (event.kind == EventKind::Step) steps.push_back(event.step + 1);
      if (event.kind != EventKind::Operator) continue;
      const TensorId input = journal.inputs(id).front();
      EXPECT_NE(input, 0U);
      EXPECT_EQ(journal.tensor(input).placements, (Placements{Shard{0}}));
      EXPECT_EQ(journal.tensor(input).name, "weight");
    }
    return steps;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  // Copies the recordings. Returns false if the writer removed a file in the meantime.
  bool isCopiedTo(const fs::path& folder) const {
    std::error_code code;
    fs::remove_all(folder, code);
    fs::copy(folder_.path(), folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             code);
    return !code;
  }
  void finish() {
    recorder_.removeSinks();
    ASSERT_TRUE(ring_->close());
  }

  const ScratchFolder folder_;
  fs::path path_ = folder_ / "rank-0.shardlens";
  Recorder recorder_;
  std::unique_ptr<RingWriter> ring_;
  TensorId weight_ = 0;
  std::int64_t time_ = 0;
};

// The files are copied as a kill would leave them.
TEST_F(RingWriterTest, HasTheLastStepsAtAnyMoment) {
  begin("3steps");
  for (int last = 1; last <= 20; ++last) {
    step(last);
    flush();
    const ScratchFolder copies;
    while (!isCopiedTo(copies.path())) {
    }
    const auto steps = stepsOf(copies / "rank-0.shardlens");
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.back(), last);
    EXPECT_LE(steps.front(), std::max(1, last - 2));
    EXPECT_LE(steps.size(), 7U);
    EXPECT_EQ(static_cast<int>(steps.size()), last - steps.front() + 1);
  }
  finish();
  EXPECT_THAT(files(), ElementsAre("rank-0.shardlens"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path_)));
  EXPECT_EQ(stepsOf(path_).back(), 20);
}

TEST_F(RingWriterTest, ARelativePathIsThatOfTheBeginning) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  path_ = path_.filename();
  begin("2steps");
  fs::current_path(before);
  for (int number = 1; number <= 5; ++number) step(number);
  finish();
  EXPECT_THAT(files(), ElementsAre("rank-0.shardlens"));
  EXPECT_EQ(stepsOf(folder_ / path_).back(), 5);
}

TEST_F(RingWriterTest, HasTheLastSeconds) {
  begin("1s");
  for (int number = 1; number <= 10; ++number) {
    time_ += 500'000'000;
    step(number);
  }
  finish();
  const auto steps = stepsOf(path_);
  EXPECT_EQ(steps.back(), 10);
  EXPECT_LE(steps.front(), 8);
  EXPECT_GE(steps.front(), 5);
}

TEST_F(RingWriterTest, AnErrorAndANanRetainWhatWasThere) {
  begin("2steps");
  for (int number = 1; number <= 20; ++number) {
    step(number);
    if (number == 6) recorder_.note(makeError(recorder_, "failed"));
    if (number == 12) value(std::numeric_limits<float>::quiet_NaN());
    if (number == 16) value(1);
  }
  finish();
  EXPECT_THAT(files(), ElementsAre("kept-error", "kept-nan", "rank-0.shardlens"));
  EXPECT_THAT(stepsOf(folder_ / "kept-error" / "rank-0.shardlens"),
              ::testing::IsSupersetOf({5, 6}));
  EXPECT_THAT(stepsOf(folder_ / "kept-nan" / "rank-0.shardlens"),
              ::testing::IsSupersetOf({11, 12}));
  EXPECT_EQ(stepsOf(path_).back(), 20);
}

// The first file of the reason appears when the second one is to be retained already.
TEST_F(RingWriterTest, OfOneReasonTheFirstCounts) {
  begin("2steps");
  const fs::path kept = folder_ / "kept-nan" / "rank-0.shardlens";
  for (int number = 1; number <= 20; ++number) {
    step(number);
    if (number >= 12) value(std::numeric_limits<float>::quiet_NaN());
    if (number != 12) continue;
    fs::create_directory(kept.parent_path());
    std::ofstream(kept) << "first";
  }
  finish();
  EXPECT_EQ(fs::file_size(kept), 5U);
}

TEST_F(RingWriterTest, KeepsTheEndThatAReaderHoldsInTheLog) {
  begin("2steps");
  for (int number = 1; number <= 9; ++number) step(number);
  flush();
  {
    Database reader(path_, Database::Access::ReadOnly);
    Transaction reads(reader);
    reader.integer("SELECT count(*) FROM blocks");
    recorder_.note(makeError(recorder_, "the end"));
    finish();
  }
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  EXPECT_EQ(journal.at(journal.size()).kind, EventKind::Error);
  EXPECT_THAT(reader->lostRanks(), ::testing::IsEmpty());
}

// A folder has the name of the first file.
TEST_F(RingWriterTest, RefusesAFolderWithoutRoomForItsFiles) {
  fs::create_directories(folder_ / ".rank-0.1.shardlens" / "full");
  EXPECT_FALSE(RingWriter::create(path_, parseRingExtent("2steps").value()));
  EXPECT_THAT(files(), ElementsAre(".rank-0.1.shardlens"));
}

}  // namespace
}  // namespace shardlens
