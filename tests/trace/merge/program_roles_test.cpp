#include "core/trace/merge/program_roles.h"

#include "app/bench/run_case.h"
#include "core/model/rank_ranges.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/job_of_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProgramRoles, RanksOfOneProgramAreOneRole) {
  const JobOfRanks job({"/ab/ab", "/cd/cd", "/ab/ab", "/cd/cd"});
  EXPECT_THAT(job.roles(), ElementsAre("0,2", "1,3"));
  EXPECT_THAT(job.divergences(), IsEmpty());
}

TEST(ProgramRoles, AStepOfAnotherProgramMakesNoRole) {
  const JobOfRanks job({"/eeab/ab/ab/abee/ab", "/ab/ab/ab/ab/ab", "/xab/ab/ab/ab/ab", "/ab/a~"});
  EXPECT_THAT(job.roles(), ElementsAre("0-3"));
  EXPECT_THAT(job.divergences(), IsEmpty());
}

TEST(ProgramRoles, RanksThatPartAreADivergenceWithBothSides) {
  const JobOfRanks job({"/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/axc/axc"});
  EXPECT_THAT(job.roles(), ElementsAre("0-2", "3"));
  const JobOfRanks later({"/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/abc/axyc"});
  EXPECT_THAT(later.roles(), ElementsAre("0-3"));
  EXPECT_THAT(later.divergences(), ElementsAre("3: x of 3, b of 0-2"));
  const JobOfRanks two(
      {"/abc/abc/abc/abc", "/abc/abc/ayc/abc", "/abc/abc/abc/abc", "/abc/abc/axc/abc"});
  EXPECT_THAT(two.divergences(), ElementsAre("3: y of 1, b of 0,2", "3: x of 3, b of 0,2"));
}

// An evaluation on one rank, an expert without input, and another order.
TEST(ProgramRoles, MoreFewerOrReorderedEventsAreNoDivergence) {
  EXPECT_THAT(
      JobOfRanks({"/abc/abcee/abc", "/abc/abc/abc", "/abc/ac/abc", "/abc/abc/abc"}).divergences(),
      IsEmpty());
  EXPECT_THAT(
      JobOfRanks({"/abc/abc/abc", "/abc/abc/abc", "/abc/bac/abc", "/abc/cba/abc"}).divergences(),
      IsEmpty());
}

// Other events of a rank that has not ended its step are a divergence if the ranks meet again, or
// call the same number of a collective differently.
TEST(ProgramRoles, AStepInProgressCountsAsFarAsTheRanksMeet) {
  EXPECT_THAT(
      JobOfRanks({"/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/abc/ax~"}).divergences(),
      IsEmpty());
  EXPECT_THAT(
      JobOfRanks({"/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/abc/axc~"}).divergences(),
      ElementsAre("3: x of 3, b of 0-2"));
  EXPECT_THAT(JobOfRanks({"/a!/a!/a!~", "/a!/a!/a!~", "/a!/a!/a!~", "/a!/a!/a?~"}).divergences(),
              ElementsAre("3: reduce_scatter of 3, all_reduce of 0-2"));
}

// What precedes the first common step may differ: one rank loads a file, for example.
TEST(ProgramRoles, TheFirstStepMayDiffer) {
  EXPECT_THAT(
      JobOfRanks({"/xbc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc"}).divergences(),
      IsEmpty());
}

TEST(ProgramRoles, StagesAndExpertsOfARunAreRoles) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 16, .steps = 3, .stages = 2, .experts = 2, .tensorParallel = 2};
  ASSERT_TRUE(recordRun(of, folder.path()));
  const auto reader = TraceReader::open(folder.path()).value();
  std::vector<std::string> ranks;
  for (const auto& role : programRoles(reader->journal())) ranks.push_back(rangesText(role.ranks));
  EXPECT_THAT(ranks, ElementsAre("0,1,4,5", "2,3,6,7", "8,9,12,13", "10,11,14,15"));
  EXPECT_THAT(divergences(reader->journal()), IsEmpty());
}

TEST(ProgramRoles, OneProcessHasNoRoles) {
  const Journal journal;
  EXPECT_THAT(programRoles(journal), IsEmpty());
  EXPECT_THAT(divergences(journal), IsEmpty());
}

// Rank 1 runs another program in most of all steps.
TEST(ProgramRoles, AreOfTheFirstSteps) {
  std::string first, later, same;
  for (int step = 0; step < 4100; ++step) {
    first += "/a";
    later += "/b/b";
    same += "/a/a/a";
  }
  EXPECT_THAT(JobOfRanks({same, first + later}).roles(), ElementsAre("0,1"));
}

// Completes a search in calls that may do only one thing each. Returns the number of calls.
int callsOf(DivergenceSearch& search) {
  for (int calls = 1; calls < 100; ++calls) {
    if (search.search([] { return false; })) return calls;
    EXPECT_FALSE(search.isComplete());
    EXPECT_THAT(search.found(), IsEmpty());
  }
  return -1;
}

// Each step of the ranks 1 and 3 has another program than those of 0 and 2; they part in the last.
TEST(DivergenceSearch, EachCallBeginsAStepOrComparesTwo) {
  const std::string all = "/ab/ab/ab/ab/ab", more = "/ab/abc/abd/abe/xb";
  const JobOfRanks job({all, more, all, more});
  DivergenceSearch search(job.journal());
  EXPECT_EQ(callsOf(search), 5 + 4);
  EXPECT_TRUE(search.isComplete());
  EXPECT_THAT(job.texts(search.found()), ElementsAre("5: x of 1,3, a of 0,2"));
  EXPECT_TRUE(search.search([] { return false; }));
}

TEST(DivergenceSearch, ComparesTwoProgramsOnce) {
  const std::string all = "/ab/ab/ab/ab/ab", more = "/ab/ab/ab/abc/abc";
  const JobOfRanks job({all, more, all, more});
  DivergenceSearch search(job.journal());
  EXPECT_EQ(callsOf(search), 5 + 1);
}

TEST(DivergenceSearch, KeepsComparisonsWhenTheRunGrows) {
  const std::string all = "/ab/ab/ab/ab/ab", more = "/ab/ab/ab/abc/abd";
  JobOfRanks job({all, more, all, more}, JobOfRanks::Writers::StayOpen);
  job.grow({"/ab", "/ab", "/ab", "/ab"});
  DivergenceSearch search(job.journal());
  EXPECT_EQ(callsOf(search), 6 + 2);
  job.grow({"/ab", "/ab", "/ab", "/ab"});
  EXPECT_EQ(callsOf(search), 7);
}

// As in a job that hangs.
TEST(DivergenceSearch, CompletesAlthoughStepsHaveNotEnded) {
  const JobOfRanks job({"/ab/ab~", "/ab/abc~", "/ab/abd~", "/ab/abe~"});
  DivergenceSearch search(job.journal());
  EXPECT_EQ(callsOf(search), 2 + 3);
}

TEST(DivergenceSearch, SearchesAgainWhenTheRunHasGrown) {
  JobOfRanks job({"/ab/ab/ab~", "/ab/ab/ab~", "/ab/ab/ab~", "/ab/ab/ab~"},
                 JobOfRanks::Writers::StayOpen);
  DivergenceSearch search(job.journal());
  EXPECT_FALSE(search.search([] { return false; }));
  job.grow({"/ab/ab~", "/ab/ab~", "/ab/xb~", "/ab/ab~"});
  EXPECT_FALSE(search.search([] { return false; }));
  job.grow({"/ab", "/ab", "/ab", "/yb"});
  job.close();
  job.settle();
  EXPECT_TRUE(search.search());
  EXPECT_THAT(job.texts(search.found()),
              ElementsAre("5: x of 2, a of 0,1,3", "6: y of 3, a of 0,1"));
  EXPECT_THAT(job.texts(search.found()), job.divergences());
}

// The end of a step adds no event.
TEST(DivergenceSearch, SearchesAgainWhenAStepHasEnded) {
  JobOfRanks job({"/abc/abc/abc", "/abc/abc/abc", "/abc/abc/abc", "/abc/abc/ax~"},
                 JobOfRanks::Writers::StayOpen);
  job.settle();
  DivergenceSearch search(job.journal());
  EXPECT_TRUE(search.search());
  EXPECT_THAT(search.found(), IsEmpty());
  const EventId events = job.journal().size();
  job.grow({"", "", "", ""});
  EXPECT_EQ(job.journal().size(), events);
  EXPECT_TRUE(search.search());
  EXPECT_THAT(job.texts(search.found()), ElementsAre("3: x of 3, b of 0-2"));
}

}  // namespace
}  // namespace shardlens
