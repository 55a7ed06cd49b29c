#include "core/imports/formats/chrome_event.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ChromeTraceTest, GloosCollectivesAreThoseThatAreCalled) {
  const Imported run({sample("kineto-2")});
  EXPECT_THAT(run.collectives(), ElementsAre("all_reduce of 0 default_pg, ranks 0,1, 384 bytes",
                                             "all_reduce of 0 default_pg, ranks 0,1, 384 bytes",
                                             "all_reduce of 0 default_pg, ranks 0,1, 384 bytes"));
  EXPECT_THAT(run.problems("absent-rank"), IsEmpty());
  ASSERT_EQ(run.report().dumps.size(), 2U);
  EXPECT_EQ(run.report().dumps[0].events, 482U);
  EXPECT_EQ(run.report().dumps[1].rank, 1);
}

TEST(ChromeTraceTest, OfSeveralGlooGroupsNoneIsNamed) {
  const Imported run({sample("kineto-4")});
  EXPECT_THAT(run.collectives(), ElementsAre("all_gather, 2944 bytes", "all_reduce, 768 bytes",
                                             "all_reduce, 768 bytes", "all_reduce, 768 bytes",
                                             "reduce_scatter, 5888 bytes"));
  EXPECT_EQ(run.journal().meta("hosted"), "0-3");
  // Nearly all events are common to the ranks. Only per-rank threads differ in order.
  EXPECT_LT(run.journal().size(), 620U);
}

TEST(ChromeTraceTest, EventsAreNested) {
  const ScratchFolder folder;
  const auto path = written(folder, "rank0.json", R"({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 12.5, "dur": 3},
    {"ph": "B", "name": "outer", "pid": 1, "tid": 2, "ts": 9.001},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 14, "dur": 20},
    {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 10, "dur": 30},
    {"ph": "E", "name": "outer", "pid": 1, "tid": 2, "ts": 11},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 10, "dur": 90},
    {"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 10}]})");
  const Imported run({path});
  EXPECT_THAT(run.tree(9),
              ElementsAre("Operator outer", "Step ProfilerStep#3", "  Operator aten.linear",
                          "    Operator aten.mm", "Compute gemm"));
  EXPECT_EQ(run.journal().at(1).duration, 1999);
  EXPECT_EQ(run.journal().at(2).time, 999);
  EXPECT_EQ(run.journal().at(1).step, -1);
  EXPECT_EQ(run.journal().at(5).step, 3);
  EXPECT_EQ(run.journal().text(run.journal().at(5).device), "cuda:0 stream 7");
  EXPECT_THAT(run.report().notes, Contains("rank0.json: 1 event of unsupported kinds left out"));
}

TEST(ChromeTraceTest, NcclsCollectivesAreOfTheirGroupAndNumber) {
  const Imported run({sample("written/kineto-nccl")});
  std::string ranks = "0";  // the dump truncates the list and gives start and stride
  for (int rank = 2; rank < 64; rank += 2) ranks += "," + std::to_string(rank);
  EXPECT_THAT(run.collectives(),
              ElementsAre("all_reduce of 5 mesh_tp #7, ranks " + ranks + ", 8192 bytes",
                          "all_gather of 5 mesh_tp #8, ranks " + ranks + ", 256 bytes",
                          "reduce_scatter of 5 mesh_tp #9, ranks " + ranks + ", 8192 bytes"));
  EXPECT_THAT(run.problems("absent-rank"),
              ElementsAre("reduce_scatter over mesh_tp: without rank 2"));
  EXPECT_THAT(run.tree(5), ElementsAre("Step ProfilerStep#2", "  Operator c10d.allreduce_",
                                       "    Collective all_reduce", "      Compute nccl:allreduce",
                                       "Compute ncclDevKernel_allreduce"));
}

TEST(ChromeTraceTest, PackedAndPlainAreTheSame) {
  const ScratchFolder folder;
  const auto plain = written(folder, "rank0.json", unpacked(sample("kineto-2/rank0.json.gz")));
  const Imported one({plain}), other({sample("kineto-2/rank0.json.gz")});
  ASSERT_EQ(one.journal().size(), other.journal().size());
  EXPECT_EQ(one.tree(1000), other.tree(1000));
}

TEST(ChromeTraceTest, MicrosecondsAreTakenWithoutLoss) {
  EXPECT_EQ(nanoseconds("4611126757649.182"), 4611126757649182);
  EXPECT_EQ(nanoseconds("0.5"), 500);
  EXPECT_EQ(nanoseconds("-1.25"), -1250);
  EXPECT_EQ(nanoseconds("7"), 7000);
  EXPECT_EQ(nanoseconds("1.5e3"), 1500000);
  EXPECT_EQ(nanoseconds("1e300"), 0);
}

}  // namespace
}  // namespace shardlens
