#include "core/view/words/snapshot_text.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens::view {
namespace {

class SnapshotText : public ::testing::Test {
 protected:
  SnapshotText() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recordSample(recorder_);
  }

  std::string text(EventId position) { return snapshotText(journal_, states_.at(position)); }

  Recorder recorder_;
  Journal journal_;
  StateIndex states_{journal_};
};

TEST_F(SnapshotText, ReadsAsAPersonWould) {
  EXPECT_EQ(text(16), R"(position 16 of 19, step 4, line 7
  redistribute(y, R)
    all_reduce over tp  96 B sent
      mask #1 applied to y
tensors
  w  f32[10, 3](S(0))  since event 2
    rank 0 [1, 3]  0.5 1 2
    rank 1 [1, 3]  3 4 5
  y  f32[4, 3](MaskP(sum, [10, 3], 0))  since event 7, changed at 16, masked by buffer 1
    rank 0 [4, 3]  0.25 0.25 0.25 | 0.25 0.25 0.25 | 0.25 0.25 0.25 | 0.25 0.25 0.25
  z  f32[4, 3](MaskP(sum, [10, 3], 0))  since event 12, masked by buffer 1
mask buffers
  buffer 1  refcount 2  held by y, z
    rank 0 [4]  false true true false
strategy cache: hits 1, misses 1, entries 1
  aten.embedding f32[10, 3](S(0)) i64[4](R)  hits 1
plan cache: hits 0, misses 1, entries 0
96 B sent
)");
  EXPECT_THAT(text(19), ::testing::HasSubstr("refcount 0  held by none"));
  EXPECT_THAT(text(19), ::testing::EndsWith("error: z: buffer has been materialized\n"));
}

TEST_F(SnapshotText, CutsLongShards) {
  Journal journal;
  recordLongShard(journal);
  StateIndex states(journal);
  EXPECT_THAT(snapshotText(journal, states.at(1)), ::testing::HasSubstr(" 7 7 ...\n"));
}

TEST_F(SnapshotText, NamesTheLocationOfTheRemainingRanks) {
  Journal journal;
  recordHostedPart(journal);
  StateIndex states(journal);
  EXPECT_THAT(snapshotText(journal, states.at(2)), ::testing::HasSubstr(R"(
  w  u8[4](S(0))  since event 1
    rank 0 [1]  7
    ranks 2,3  in another process's recording
  u  u8[2](S(0)) on ranks 0,3  since event 2
    rank 0 [1]  7
    rank 3  in another process's recording
    ranks 1,2  not in the tensor's mesh
)"));
}

}  // namespace
}  // namespace shardlens::view
