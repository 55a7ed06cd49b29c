// Compares a program that runs live, is stepped back and forth, and is read from its recording.

#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/session/programs.h"

#include <filesystem>
#include <unistd.h>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

class Replayed : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::path(testing::TempDir()) / ("replayed-" + std::to_string(getpid()) + ".shardlens");
    auto writer = TraceWriter::create(path_);
    ASSERT_TRUE(writer) << writer.error().message;
    Session session(scenario(kRowWise), {{&live_, writer->get()}, CaptureLevel::All});
    while (session.step()) liveSnapshots_.push_back(StateIndex(live_).at(live_.size()));
    ASSERT_TRUE(session.ok());
    ASSERT_TRUE((*writer)->close());
  }
  void TearDown() override { fs::remove(path_); }

  fs::path path_;
  Journal live_;
  std::vector<Snapshot> liveSnapshots_;
};

TEST_F(Replayed, ARecordingGivesTheSnapshotsOfTheLiveRun) {
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader) << reader.error().message;
  const Journal& read = (*reader)->journal();
  ASSERT_EQ(read.size(), live_.size());
  StateIndex fromFile(read), fromMemory(live_);
  for (EventId position = 0; position <= live_.size(); ++position) {
    EXPECT_EQ(fromFile.at(position), fromMemory.at(position)) << position;
  }
  for (const auto& snapshot : liveSnapshots_) {
    EXPECT_EQ(fromFile.at(snapshot.position), snapshot) << snapshot.position;
  }
  for (TensorId id = 1; id <= live_.tensors(); ++id) {
    for (const int rank : live_.ranksOf(id)) {
      const auto a = live_.value(id, rank, live_.size());
      const auto b = read.value(id, rank, live_.size());
      ASSERT_TRUE(b);
      EXPECT_EQ(*live_.elements(*a), *read.elements(*b));
    }
  }
}

TEST_F(Replayed, AsManyStepsBackAsForwardGiveTheSnapshotAgain) {
  StateIndex states(live_);
  std::vector<Snapshot> forward;
  for (EventId position = 0; position <= live_.size(); ++position) {
    forward.push_back(states.at(position));
  }
  for (EventId position = live_.size() + 1; position-- > 0;) {
    EXPECT_EQ(states.at(position), forward[position]) << position;
  }
}

TEST_F(Replayed, EveryEventIsNestedInTheStepThatCausedIt) {
  for (EventId id = 1; id <= live_.size(); ++id) {
    EventId root = id;
    while (live_.at(root).parent != 0) root = live_.at(root).parent;
    EXPECT_EQ(live_.at(root).kind, EventKind::Step) << id;
    EXPECT_EQ(live_.at(root).step, live_.at(id).step);
    EXPECT_NE(live_.at(id).duration, Event::kRunning);
    EXPECT_FALSE(live_.text(live_.at(id).ranks).empty()) << id;
  }
}

TEST_F(Replayed, AppliedMasksShowInTheValues) {
  for (EventId id = 1; id <= live_.size(); ++id) {
    const Event& event = live_.at(id);
    if (event.kind != EventKind::MaskApplied) continue;
    // Rank 1 owns rows 5 to 9 and looks up 0, 9 and 4.
    const auto before = live_.value(event.related, 1, id - 1);
    const auto after = live_.value(event.related, 1, id);
    EXPECT_EQ(elementAt(DType::Float32, before->data->data(), 0), 15);
    EXPECT_EQ(elementAt(DType::Float32, after->data->data(), 0), 0);
    EXPECT_EQ(elementAt(DType::Float32, after->data->data(), 3), 27);
    return;
  }
  FAIL() << "no mask was applied";
}

}  // namespace
}  // namespace shardlens
