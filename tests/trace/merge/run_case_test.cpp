#include "app/bench/run_case.h"

#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<TraceReader> open(const ScratchFolder& folder) {
  return TraceReader::open(folder.path()).value();
}

// The ranks that are still in a collective at the end, by the collective's ranks.
std::map<std::string, std::vector<int>> waiting(const Journal& journal) {
  std::map<std::string, std::vector<int>> all;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Collective || event.duration != Event::kRunning) continue;
    auto& ranks = all[std::string(journal.text(event.ranks))];
    for (int rank = 0; rank < 16; ++rank) {
      const auto part = journal.part(id, rank);
      if (part && part->duration == Event::kRunning) ranks.push_back(rank);
    }
  }
  return all;
}

TEST(RunCase, EqualRanksAreMergedToTheEventsOfOne) {
  const ScratchFolder folder;
  const auto events = recordRun({.ranks = 6, .steps = 3}, folder.path()).value();
  const auto reader = open(folder);
  EXPECT_EQ(reader->journal().size() * 6, events);
  EXPECT_EQ(reader->journal().at(1).kind, EventKind::Step);
  EXPECT_FALSE(reader->mayGrow());
}

TEST(RunCase, CollectivesOfStagesAndGroupsAreMergedAcrossTheirMembers) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 16, .steps = 2, .stages = 2, .experts = 2, .tensorParallel = 2};
  ASSERT_TRUE(recordRun(of, folder.path()));
  const auto reader = open(folder);
  const Journal& journal = reader->journal();
  std::map<std::string, int> calls;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Collective) ++calls[std::string(journal.text(event.ranks))];
  }
  EXPECT_EQ(calls["0,1"], 8);         // of 4 layers in 2 steps
  EXPECT_EQ(calls["0,8"], 2);         // to the next stage
  EXPECT_EQ(calls["8,10,12,14"], 2);  // of the gradients
  EXPECT_TRUE(waiting(journal).empty());
}

TEST(RunCase, AHangHoldsTheRanksThatWaitForIt) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 16,
                   .steps = 2,
                   .stages = 2,
                   .tensorParallel = 2,
                   .fault = RunCase::Fault::Hang,
                   .faulty = 3};
  ASSERT_TRUE(recordRun(of, folder.path()));
  const auto reader = open(folder);
  const auto held = waiting(reader->journal());
  EXPECT_THAT(held.at("2,3"), ElementsAre(2));
  EXPECT_THAT(held.at("3,11"), ElementsAre(11));
  EXPECT_THAT(held.at("0,2,4,6"), ElementsAre(0, 4, 6));
  EXPECT_THAT(held.at("1,3,5,7"), ElementsAre(1, 5, 7));
}

}  // namespace
}  // namespace shardlens
