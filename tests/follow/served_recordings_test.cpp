#include "core/follow/served_recordings.h"

#include "core/follow/recording_sender.h"
#include "core/trace/file/trace_writer.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

namespace shardlens {
namespace {

using Sent = RecordingSender::Sent;

class Served : public testing::Test {
 protected:
  Served() {
    recorder_.addSink(*writer_);
    recorder_.setCapture(CaptureLevel::All);
    recordSample(recorder_);
    EXPECT_TRUE(writer_->flush());
  }

  RecordingSender sender() { return RecordingSender::make(opened(), {}).value(); }
  std::shared_ptr<ServedRecording> opened() { return recordings_.open(path_).value(); }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.shardlens";
  std::unique_ptr<TraceWriter> writer_ = TraceWriter::create(path_).value();
  Recorder recorder_;
  ServedRecordings recordings_;
};

// Returns all frames that the sender now sends. Fails at a portion that is not bounded.
std::string sentBy(RecordingSender& sender) {
  std::string all;
  constexpr std::size_t kMost = std::size_t{256} << 10;
  const auto sent = sender.sendNew([&](std::string_view frames) {
    EXPECT_LT(frames.size(), kMost);
    all += frames;
    return true;
  });
  EXPECT_TRUE(sent);
  return all;
}

TEST_F(Served, EightClientsHaveOneJournal) {
  std::vector<RecordingSender> clients;
  std::vector<const Journal*> journals;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(sender());
    journals.push_back(clients.back().use([](const Journal& journal) { return &journal; }));
  }
  EXPECT_EQ(recordings_.size(), 1U);
  EXPECT_THAT(journals, testing::Each(journals.front()));
  clients.clear();
  EXPECT_EQ(recordings_.size(), 0U);
}

TEST_F(Served, EachClientReceivesEverything) {
  recordLong(recorder_, 3000);
  ASSERT_TRUE(writer_->flush());
  auto one = sender();
  auto other = sender();
  const std::string first = sentBy(one);
  EXPECT_GT(first.size(), 3000U);
  EXPECT_EQ(sentBy(other), first);

  // The first client loads what is new, and the second one receives it too.
  recordLong(recorder_, 10);
  ASSERT_TRUE(writer_->close());
  std::string more = sentBy(one);
  EXPECT_FALSE(more.empty());
  EXPECT_EQ(sentBy(other), more);
  EXPECT_TRUE(one.hasEnded());
  EXPECT_TRUE(other.hasEnded());
  EXPECT_EQ(sentBy(one), "");
}

// A client that has disconnected or waits in its send does not hold the lock.
TEST_F(Served, SendingDoesNotLockTheRecording) {
  auto one = sender();
  auto other = sender();
  const auto sent = one.sendNew([&](std::string_view) {
    EXPECT_NE(sentBy(other), "");
    return false;
  });
  EXPECT_EQ(sent.value(), Sent::Disconnected);
}

TEST_F(Served, AReplacedFileIsOpenedAgain) {
  const auto before = opened();
  writer_ = TraceWriter::create(path_).value();
  EXPECT_NE(opened(), before);
  EXPECT_EQ(opened()->use([](const Recording& each) { return each.journal().size(); }), 0U);
}

TEST_F(Served, AFileThatCannotBeOpenedIsReported) {
  const auto missing = recordings_.open(folder_ / "b.shardlens");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("b.shardlens does not exist"));
}

}  // namespace
}  // namespace shardlens
