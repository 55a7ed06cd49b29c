#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(BadDumpsTest, AFileThatIsNotADumpIsRefused) {
  for (const char* bytes : {"", "hello\n", "{}", "[1, 2]", R"({"a": 1})"}) {
    EXPECT_THAT(refusalOf(bytes), StartsWith("got another file, expected a trace of Kineto"))
        << bytes;
  }
}

TEST(BadDumpsTest, EachFormatReportsThePositionOfAnError) {
  EXPECT_EQ(refusalOf(R"({"traceEvents": [{"ph": "X", "ts": 1, "name": "a"}, {"ph": "X")"),
            "byte 62: got the end, expected \",\" or \"}\"");
  EXPECT_EQ(refusalOf(R"({"schemaVersion": 1})"),
            "byte 20: got the end, expected a member traceEvents before");
  EXPECT_EQ(
      refusalOf(R"({"entries": [{"record_id": 0}]})"),
      "entry 0: got an entry without profiling_name, expected an entry of the Flight Recorder");
  EXPECT_EQ(refusalOf("\x80\x02K\x01."), "the pickle: got another value, expected a dictionary");
  EXPECT_EQ(
      refusalOf(
          R"({"format": "torch.utils._debug_mode.DebugMode.logs", "version": 2, "logs": []})"),
      "byte 63: got version 2, expected version 1 of DebugMode's logs");
  EXPECT_EQ(refusalOf(R"({"format": "torch.utils._debug_mode.DebugMode.logs", "logs": [{}]})"),
            "byte 62: got a call without a type, expected one of DebugMode's");
  EXPECT_EQ(refusalOf("# aten::mm\n"), "line 2: got no call, expected DebugMode's text");
  EXPECT_EQ(refusalOf(R"({"fqn": 1})"), "byte 8: got \"1}\", expected a text");
  EXPECT_THAT(refusalOf("a:1:1 [0] NCCL INFO AllReduce: opCount 0\n"),
              HasSubstr("NCCL_DEBUG_SUBSYS=INIT,COLL"));
  EXPECT_THAT(
      refusalOf("a:1:1 [0] NCCL INFO comm 0x1 rank 4 nranks 4 commId 0x2 - Init COMPLETE\n"),
      StartsWith("line 1: got another text"));
  EXPECT_THAT(refusalOf(R"({"mesh_shape": [0], "mesh_dim_names": null, "placements": {}})"),
              StartsWith("the mesh: "));
}

TEST(BadDumpsTest, TimesThatNoRecordingHasAreRefused) {
  constexpr auto kApart = "got times more than 73 years apart, expected those of a run";
  EXPECT_THAT(refusalOf(R"({"schemaVersion": 1, "traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": -2000000000000000, "dur": 1},
      {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 2000000000000000, "dur": 1}]})"),
              HasSubstr(kApart));
  EXPECT_THAT(refusalOf(R"({"schemaVersion": 1, "traceEvents": [
      {"ph": "B", "cat": "cpu_op", "name": "aten::mm", "ts": -2000000000000000},
      {"ph": "E", "cat": "cpu_op", "name": "aten::mm", "ts": 8000000000000000}]})"),
              HasSubstr("got a time beyond 73 years, expected one of a run"));
  EXPECT_THAT(refusalOf(R"({"entries": [
      {"record_id": 0, "profiling_name": "gloo:all_reduce", "time_created_ns": 1,
       "time_discovered_completed_ns": 9000000000000000000}]})"),
              HasSubstr(kApart));
}

TEST(BadDumpsTest, ACutPackedFileIsRefused) {
  std::string bytes;
  {
    std::ifstream file(sample("kineto-2/rank0.json.gz"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_THAT(refusalOf(bytes.substr(0, bytes.size() / 2)), HasSubstr("unexpected end of file"));
}

TEST(BadDumpsTest, RanksAndFormatsAreNotMixed) {
  const ScratchFolder folder;
  const auto into = folder / "into";
  const auto message = [&](std::vector<std::filesystem::path> paths) {
    const auto report = importDumps(paths, into);
    return report ? std::string("imported") : report.error().message;
  };
  EXPECT_THAT(message({sample("kineto-2/rank0.json.gz"), sample("kineto-4/rank0.json.gz")}),
              HasSubstr("got rank 0, expected another than that of"));
  EXPECT_THAT(message({sample("kineto-2/rank0.json.gz"), sample("debug_mode.txt")}),
              HasSubstr("got another kind, DebugMode text, expected Kineto trace as"));
  EXPECT_THAT(message({folder / "none"}), HasSubstr("none"));
  EXPECT_THAT(message({}), HasSubstr("expected a file"));
}

// A folder with the pickle and the JSON of each rank.
TEST(BadDumpsTest, ADumpThatIsListedInTwoFormsIsReadOnce) {
  const ScratchFolder folder;
  const auto report = importDumps({sample("flight-hung")}, folder / "into");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->notes, Contains(HasSubstr("rank_0 is left out: another file has its name")));
}

TEST(BadDumpsTest, RecordingsThatAreThereAreNotTouched) {
  const ScratchFolder folder;
  ASSERT_TRUE(importDumps({sample("debug_mode.txt")}, folder.path()));
  const auto again = importDumps({sample("debug_mode.json")}, folder.path());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message,
              HasSubstr("got a folder with recordings, for example rank-0.shardlens"));
  EXPECT_THAT(folder.names(), ElementsAre("rank-0.shardlens"));
}

TEST(BadDumpsTest, OtherFilesInAFolderAreIgnored) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "run");
  written(folder, "run/notes.txt", "hello");
  std::filesystem::copy(sample("debug_mode.txt"), folder / "run/rank7.txt");
  const auto report = importDumps({folder / "run"}, folder / "into").value();
  ASSERT_EQ(report.dumps.size(), 1U);
  EXPECT_EQ(report.dumps[0].rank, 7);
  EXPECT_THAT(report.notes, Contains(StartsWith("notes.txt: left out: got another file")));
}

TEST(BadDumpsTest, ProgressGoesUpAndMayEndIt) {
  const ScratchFolder folder;
  double last = 0;
  ASSERT_TRUE(importDumps({sample("kineto-4")}, folder / "all", [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  }));
  EXPECT_EQ(last, 1);
  const auto end = [](double done) {
    if (done > 0.5) throw std::runtime_error("enough");
  };
  EXPECT_THROW((void)importDumps({sample("kineto-4")}, folder / "some", end), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "some"));
}

}  // namespace
}  // namespace shardlens
