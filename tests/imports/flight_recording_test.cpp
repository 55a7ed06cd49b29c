#include "core/trace/records/site_record.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::filesystem::path> ranksOf(const std::string& run, int ranks, const char* ending) {
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < ranks; ++rank) {
    files.push_back(sample(run + "/rank_" + std::to_string(rank) + ending));
  }
  return files;
}

class FlightRecordingTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Forms, FlightRecordingTest, ::testing::Values("", ".json"),
                         [](const auto& form) { return *form.param == 0 ? "Pickle" : "Json"; });

TEST_P(FlightRecordingTest, OfAHungRunShowsWhichRanksWaitForWhich) {
  const Imported run(ranksOf("flight-hung", 4, GetParam()));
  EXPECT_THAT(run.collectives(), ElementsAre("all_reduce of 1 first #1, ranks 0,1, 32 bytes",
                                             "all_reduce of 1 first #2, ranks 0,1, 32 bytes",
                                             "all_reduce of 2 second #1, ranks 2,3, 32 bytes",
                                             "all_reduce of 2 second #2, ranks 2,3, 32 bytes",
                                             "all_reduce of 0 default_pg #1, ranks 0-3, 48 bytes"));
  const auto waiting = run.problems("rank-that-waits");
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_THAT(waiting[0],
              ::testing::StartsWith(
                  "all_reduce over default_pg: ranks 0, 1, 3 have waited for rank 2 since "));
  EXPECT_THAT(run.problems("absent-rank"), IsEmpty());
  EXPECT_EQ(run.journal().at(5).duration, Event::kRunning);
  EXPECT_EQ(run.journal().at(4).duration, 0);  // completed; the dump has no end time
}

TEST_P(FlightRecordingTest, OfAMismatchedRunShowsTheCallsByRank) {
  const Imported run(ranksOf("flight-mismatched", 4, GetParam()));
  EXPECT_THAT(run.collectives(), ElementsAre("all_reduce of 0 default_pg #1, ranks 0-3, 64 bytes",
                                             "all_reduce of 0 default_pg #2, ranks 0-3, 48 bytes",
                                             "all_gather of 0 default_pg #2, ranks 0-3, 16 bytes"));
  EXPECT_THAT(
      run.problems("collective-mismatch"),
      ElementsAre(
          "rank 2 called all_gather where the other ranks called all_reduce over default_pg"));
}

TEST_P(FlightRecordingTest, OfASoundRunAllRanksAreAligned) {
  const Imported run(ranksOf("flight-4", 4, GetParam()));
  // 11 collectives in each of the two tp groups, and 4 in each of the two dp groups.
  EXPECT_EQ(run.collectives().size(), 2U * 11 + 2U * 4);
  EXPECT_EQ(run.report().dumps.size(), 4U);
  EXPECT_EQ(run.report().dumps[3].events, 15U);
  EXPECT_THAT(run.collectives(), Contains("all_reduce of 3 mesh_tp #6, ranks 0,1, 384 bytes"));
  EXPECT_THAT(run.collectives(), Contains("all_gather of 2 mesh_dp #1, ranks 1,3, 1472 bytes"));
  EXPECT_THAT(run.problems("rank-that-waits"), IsEmpty());
  EXPECT_THAT(run.problems("absent-rank"), IsEmpty());
  EXPECT_THAT(run.problems("late-rank"), IsEmpty());  // the clocks are not synchronised
  EXPECT_THAT(
      run.report().notes,
      Contains(
          "group 3 mesh_tp: the dumps do not list its members; assumed: the ranks that called it"));
}

TEST(FlightRecordingSiteTest, IsTheLineOfTheUser) {
  const Imported run(ranksOf("flight-2", 2, ""));
  const SiteRecord site = readSite(run.journal().text(run.journal().at(1).site));
  EXPECT_THAT(site.file, ::testing::EndsWith("/make_samples.py"));
  EXPECT_EQ(site.caller, "parallel_model");
  EXPECT_GT(site.line, 0);
}

// The flight recorder's buffer is a ring, so a rank with more calls has lost more old ones.
TEST(FlightRecordingRingTest, AnOverwrittenEntryIsNotAMissingRank) {
  const ScratchFolder folder;
  const auto dump = [&](int rank, int first, int last) {
    std::string entries;
    for (int i = first; i <= last; ++i) {
      const std::string number = std::to_string(i);
      entries += std::string(entries.empty() ? "" : ",") + R"({"record_id":)" +
                 std::to_string(i - 1) +
                 R"(,"process_group":["0","default_pg"],"collective_seq_id":)" + number +
                 R"(,"profiling_name":"nccl:all_reduce","state":"completed"})";
    }
    return written(
        folder, "rank_" + std::to_string(rank) + ".json",
        R"({"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[)" +
            entries + "]}");
  };
  const Imported run({dump(0, 1, 5), dump(1, 4, 6)});
  EXPECT_THAT(run.collectives(), ElementsAre("all_reduce of 0 default_pg #4, ranks 0,1",
                                             "all_reduce of 0 default_pg #5, ranks 0,1",
                                             "all_reduce of 0 default_pg #6, ranks 0,1"));
  EXPECT_THAT(run.report().notes, Contains("rank_0.json: 3 collectives left out because the "
                                           "buffers of some ranks had dropped them"));
  EXPECT_THAT(run.problems("absent-rank"),
              ElementsAre("all_reduce over default_pg: without rank 0"));
}

}  // namespace
}  // namespace shardlens
