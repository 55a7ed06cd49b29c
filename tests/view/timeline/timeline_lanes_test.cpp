// Tests the lanes of runs of many ranks: similar ranks are folded, and a faulty one is not.
#include "app/bench/run_case.h"
#include "core/trace/merge/trace_reader.h"
#include "core/view/timeline/timeline_rows.h"
#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <map>

namespace shardlens::view {
namespace {

using Fault = RunCase::Fault;

// A run of 2 stages x 16 replicas x 2 tensor parallel ranks with 2 experts. The faulty rank, 37, is
// in the stage of the ranks 32 to 63.
class RunOfManyRanks {
 public:
  explicit RunOfManyRanks(Fault fault) {
    const RunCase of{.ranks = 64,
                     .steps = 3,
                     .stages = 2,
                     .experts = 2,
                     .tensorParallel = 2,
                     .fault = fault,
                     .faulty = 37};
    EXPECT_TRUE(recordRun(of, folder_.path()));
    reader_ = TraceReader::open(folder_.path()).value();
    timeline.emplace(reader_->journal());
    while (timeline->take(1000)) continue;
    timeline->update();
    rows.update(*timeline);
  }

  // Returns the number of ranks by the first rank of a row.
  std::map<int, std::int64_t> rowsByRank() const {
    std::map<int, std::int64_t> all;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      all.emplace(timeline->rankOf(rows.at(row).lane), rows.at(row).lanes);
    }
    return all;
  }

 private:
  ScratchFolder folder_;
  std::unique_ptr<TraceReader> reader_;

 public:
  std::optional<Timeline> timeline;
  TimelineRows rows;
};

using Rows = std::map<int, std::int64_t>;

// The two experts of each stage are ranks 0, 1, 4, 5, ... and 2, 3, 6, 7, ...
TEST(TimelineLanes, FoldTheRanksOfARole) {
  const RunOfManyRanks run(Fault::None);
  EXPECT_EQ(run.rowsByRank(), (Rows{{0, 16}, {2, 16}, {32, 16}, {34, 16}}));
  EXPECT_EQ(run.timeline->rankOf(2), 4);
  for (int rank = 0; rank < 64; ++rank) {
    EXPECT_EQ(run.timeline->rankOf(run.timeline->laneOf(rank)), rank);
  }
  EXPECT_EQ(run.timeline->laneOf(64), -1);
  EXPECT_EQ(run.timeline->rankOf(64), -1);
}

// Its 15 replicas wait for it. The even ranks of the stage have other replicas.
TEST(TimelineLanes, AStragglerHasARowOfItsOwn) {
  const Rows rows = RunOfManyRanks(Fault::Straggler).rowsByRank();
  ASSERT_TRUE(rows.contains(37));
  EXPECT_EQ(rows.at(37), 1);
  EXPECT_EQ(rows.at(33), 7);
  EXPECT_EQ(rows.at(35), 8);
  EXPECT_EQ(rows.at(0), 16);
}

TEST(TimelineLanes, AHungRankHasARowOfItsOwn) {
  const Rows rows = RunOfManyRanks(Fault::Hang).rowsByRank();
  ASSERT_TRUE(rows.contains(37));
  EXPECT_EQ(rows.at(37), 1);
}

TEST(TimelineLanes, ADivergingRankHasARowOfItsOwn) {
  const RunOfManyRanks run(Fault::Divergence);
  EXPECT_EQ(run.rowsByRank(), (Rows{{0, 16}, {2, 16}, {32, 15}, {34, 16}, {37, 1}}));
  ASSERT_NE(run.timeline->divergenceOf(37), nullptr);
  EXPECT_EQ(run.timeline->divergenceOf(37)->other.ranks, (std::vector{RankRange{37, 37}}));
  EXPECT_EQ(run.timeline->divergenceOf(36), nullptr);
}

// Each span is read by its rank's events alone, and is the same as if each event were asked.
TEST(TimelineLanes, SpansOfARankAreThoseOfItsEvents) {
  const RunOfManyRanks run(Fault::Hang);
  const auto spans = run.timeline->spans(40, 0, TimelineSpan::kForever, 0);
  EXPECT_GT(spans.size(), 100U);
  for (std::size_t i = 1; i < spans.size(); ++i) {
    EXPECT_EQ(run.timeline->newestOf(40, spans[i].event - 1)->event, spans[i - 1].event);
  }
}

}  // namespace
}  // namespace shardlens::view
