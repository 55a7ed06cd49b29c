#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

TEST(NcclLogTest, OneFileHasSeveralRanks) {
  const Imported run({sample("written/nccl_info.log")});
  const std::string all = "0x9d4c8c70b6800a00";
  EXPECT_THAT(run.collectives(),
              ElementsAre("all_reduce of " + all + " #1, ranks 0-3, 16384 bytes",
                          "all_gather of " + all + " #2, ranks 0-3, 2048 bytes",
                          "reduce_scatter of " + all + "/0 #1, ranks 0,1, 1024 bytes",
                          "all_reduce of " + all + "/0 #2, ranks 0,1, 128 bytes",
                          "reduce_scatter of " + all + "/1 #1, ranks 2,3, 1024 bytes",
                          "all_reduce of " + all + "/1 #2, ranks 2,3, 64 bytes"));
  EXPECT_THAT(run.problems("absent-rank"), ElementsAre("all_reduce: without rank 2"));
  ASSERT_EQ(run.report().dumps.size(), 4U);
  EXPECT_EQ(run.report().dumps[2].rank, 2);
  EXPECT_EQ(run.report().dumps[2].events, 3U);
  const Journal& journal = run.journal();
  const Event last = journal.at(journal.size());
  EXPECT_EQ(last.kind, EventKind::Error);
  EXPECT_EQ(journal.name(last), "NET/IB : timeout on rank 2");
}

}  // namespace
}  // namespace shardlens
