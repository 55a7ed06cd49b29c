// Runs of many ranks, opened and diagnosed as a whole. With an alignment or rules that compare
// ranks in pairs they would not end within the limit of a test.
#include "app/bench/run_case.h"
#include "core/query/problems/problems.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

constexpr int kRanks = 256;
constexpr int kFaulty = 131;

// Returns "rule: sentence" of each problem of a run with 8 stages.
std::vector<std::string> problemsOf(RunCase::Fault fault, int steps) {
  const ScratchFolder folder;
  const RunCase of{.ranks = kRanks,
                   .steps = steps,
                   .stages = 8,
                   .experts = 4,
                   .tensorParallel = 2,
                   .fault = fault,
                   .faulty = kFaulty};
  EXPECT_TRUE(recordRun(of, folder.path()));
  const auto reader = TraceReader::open(folder.path()).value();
  EXPECT_TRUE(reader->leftOut().empty());
  EXPECT_FALSE(reader->mayGrow());
  EXPECT_EQ(reader->journal().meta("hosted"), "0-255");
  std::vector<std::string> texts;
  for (const auto& problem : findProblems(*reader)) {
    texts.push_back(problem.rule + ": " + problem.sentence);
  }
  return texts;
}

TEST(Scale, ARunWithoutAFaultHasNone) { EXPECT_TRUE(problemsOf(RunCase::Fault::None, 3).empty()); }

TEST(Scale, AHangIsTracedToTheRankThatStopped) {
  const auto problems = problemsOf(RunCase::Fault::Hang, 3);
  // Only the groups of that rank: the remaining ranks wait for ranks that wait.
  EXPECT_EQ(problems.size(), 3U);
  for (const auto& problem : problems) {
    EXPECT_THAT(problem, ::testing::StartsWith("rank-that-waits: "));
    EXPECT_THAT(problem, HasSubstr("for rank 131 since"));
  }
}

TEST(Scale, ADivergenceIsReportedOnce) {
  EXPECT_THAT(problemsOf(RunCase::Fault::Divergence, 3),
              ::testing::ElementsAre(HasSubstr(
                  "rank 131 called reduce_scatter where the other ranks called all_reduce")));
}

TEST(Scale, AStragglerIsLate) {
  EXPECT_THAT(problemsOf(RunCase::Fault::Straggler, 8),
              ::testing::Contains(HasSubstr("late-rank: rank 131 arrives")));
}

}  // namespace
}  // namespace shardlens
