#include "app/bench/run_case.h"

#include "core/trace/merge/journal_merge.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// The order of the merged events of a hang follows from the matching alone, as that of any run
// whose ranks have no events in opposite orders: of the events that all their ranks have reached,
// that of the lowest rank comes first. Each rank keeps its order.
TEST(RunCase, TheEventsOfAHangAreInTheOrderOfTheLowestRanks) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 16,
                   .steps = 2,
                   .stages = 4,
                   .tensorParallel = 2,
                   .fault = RunCase::Fault::Hang,
                   .faulty = 5};
  ASSERT_TRUE(recordRun(of, folder.path()));
  const auto reader = open(folder);
  const EventId size = reader->journal().size();
  std::map<std::string, int> ranks;  // by file
  for (int rank = 0; rank < of.ranks; ++rank) {
    ranks[folder / ("rank-" + std::to_string(rank) + ".shardlens")] = rank;
  }
  std::vector<std::vector<EventId>> merged(16);  // the events of each rank, in its order
  std::vector<std::vector<int>> parts(size + 1);
  for (EventId id = 1; id <= size; ++id) {
    for (const auto& part : reader->recordedAt(id)) {
      const int rank = ranks.at(part.path);
      auto& own = merged[static_cast<std::size_t>(rank)];
      own.resize(std::max<std::size_t>(own.size(), part.event));
      own[part.event - 1] = id;
      parts[id].push_back(rank);
    }
  }
  for (const auto& own : merged) EXPECT_TRUE(std::ranges::is_sorted(own));
  std::vector<std::size_t> next(16);
  for (EventId expected = 1; expected <= size; ++expected) {
    EventId first = 0;
    for (std::size_t rank = 0; rank < merged.size() && first == 0; ++rank) {
      if (next[rank] == merged[rank].size()) continue;
      const EventId id = merged[rank][next[rank]];
      const bool isDue = std::ranges::all_of(parts[id], [&](int each) {
        const auto other = static_cast<std::size_t>(each);
        return next[other] < merged[other].size() && merged[other][next[other]] == id;
      });
      if (isDue && reader->journal().at(id).step == reader->journal().at(expected).step) first = id;
    }
    ASSERT_EQ(first, expected);
    for (const int rank : parts[first]) ++next[static_cast<std::size_t>(rank)];
  }
}

// A hang has one order, however much of it is merged at a time.
TEST(RunCase, AHangThatIsMergedInSlicesHasTheSameOrder) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 16,
                   .steps = 2,
                   .stages = 4,
                   .experts = 2,
                   .tensorParallel = 2,
                   .fault = RunCase::Fault::Hang,
                   .faulty = 5};
  ASSERT_TRUE(recordRun(of, folder.path()));
  std::vector<std::unique_ptr<TraceReader>> readers;
  std::vector<const Journal*> journals;
  for (int rank = 0; rank < of.ranks; ++rank) {
    const auto path = folder / ("rank-" + std::to_string(rank) + ".shardlens");
    readers.push_back(TraceReader::open(path).value());
    journals.push_back(&readers.back()->journal());
  }
  JournalMerge whole(journals), slices(journals);
  while (whole.finish(1'000'000)) continue;
  while (slices.advance(7)) continue;
  while (slices.finish(7)) continue;
  const auto lines = [](const Journal& journal) {  // ids of texts differ
    std::vector<std::string> all;
    for (EventId id = 1; id <= journal.size(); ++id) {
      const Event event = journal.at(id);
      all.push_back(std::string(journal.name(event)) + " " + std::to_string(event.parent) + " " +
                    std::string(journal.text(event.ranks)));
    }
    return all;
  };
  EXPECT_EQ(lines(slices.journal()), lines(whole.journal()));
}

}  // namespace
}  // namespace shardlens
