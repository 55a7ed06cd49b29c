// Tests the rule for processes that died: which rank, and after which event.
#include "core/query/problems/problems.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace shardlens {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kAdvice =
    "see the last events of rank 1 with shardlens show --rank 1, and look for what ended the "
    "process: a signal, or too little memory";

class ProcessDiedTest : public ::testing::Test {
 protected:
  ProcessDiedTest() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "4:tp");
    recorder_.meta("hosted", "0-3");
  }

  std::vector<Problem> found(const std::vector<int>& lost) {
    auto all = findProblems(journal_, lost);
    std::erase_if(all, [](const Problem& problem) { return problem.rule != "process-died"; });
    return all;
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(ProcessDiedTest, EachIsNamedWithItsLastEvent) {
  recorder_.note(makeOperator(recorder_, "aten.mm"));
  recorder_.note(makeOperator(recorder_, "aten.add"));
  recorder_.note(makeOperator(recorder_, "aten.relu"));
  journal_.setPartLookup([](EventId id, int rank) -> std::optional<EventPart> {
    const bool has = rank == 1 ? id <= 2 : rank == 0 || id == 1;
    return has ? std::optional(EventPart{}) : std::nullopt;
  });
  EXPECT_THAT(found({}), IsEmpty());
  const Problem one = {.rule = "process-died",
                       .severity = Problem::Severity::Error,
                       .sentence =
                           "rank 1 died without closing its recording, of which the last "
                           "event is aten.add",
                       .advice = kAdvice,
                       .events = {2},
                       .times = 1};
  EXPECT_THAT(found({1}), ElementsAre(one));
  const auto all = found({1, 2, 3});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].sentence,
            "ranks 1–3 died without closing their recording. Last events: aten.mm of ranks 2, 3, "
            "aten.add of rank 1");
  EXPECT_THAT(all[0].events, ElementsAre(1, 2));
  EXPECT_THAT(all[0].advice, ::testing::StartsWith("see the last events of ranks 2, 3 with"));
  EXPECT_THAT(
      found({2, 3}).front().sentence,
      "ranks 2, 3 died without closing their recording, of which the last event is aten.mm");
}

// A launcher kills the ranks of a job that hangs.
TEST_F(ProcessDiedTest, FollowsTheWaitDuringWhichItDied) {
  recorder_.meta("hosted", "0-1");
  recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, "0,1", 0, 8, {.axis = "tp"}));
  journal_.setPartLookup([](EventId, int rank) {
    return rank == 0 ? std::optional(EventPart{.time = 7, .duration = Event::kRunning})
                     : std::nullopt;
  });
  const auto all = findProblems(journal_, {0});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].rule, "rank-that-waits");
  EXPECT_EQ(all[1].rule, "process-died");
}

TEST_F(ProcessDiedTest, AProcessWithoutEventsHasNoPlace) {
  const auto all = found({1});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].sentence, "rank 1 died without closing its recording, which has no events");
  EXPECT_EQ(all[0].advice, "look for what ended the process: a signal, or too little memory");
  EXPECT_THAT(all[0].events, IsEmpty());
}

TEST_F(ProcessDiedTest, TheAdviceIsAboutARankWithEvents) {
  recorder_.note(makeOperator(recorder_, "aten.mm"));
  journal_.setPartLookup(
      [](EventId, int rank) { return rank == 2 ? std::optional(EventPart{}) : std::nullopt; });
  const auto all = found({1, 2});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].sentence,
            "ranks 1, 2 died without closing their recording. Last events: none of rank 1, aten.mm "
            "of rank 2");
  EXPECT_THAT(all[0].advice, ::testing::StartsWith("see the last events of rank 2 with"));
}

TEST(ProcessDied, IsReportedForAFileThatIsNoLongerWrittenWhileOthersAre) {
  const ScratchFolder folder;
  const ScratchFolder killed;
  const auto rules = [](const fs::path& path) {
    std::vector<std::string> names;
    for (const auto& each : findProblems(*TraceReader::open(path).value())) {
      names.push_back(each.rule);
    }
    return names;
  };
  const auto begin = [](const fs::path& path, const char* rank) {
    auto writer = TraceWriter::create(path).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("hosted", rank);
    recorder.note(makeOperator(recorder, "aten.mm"));
    EXPECT_TRUE(writer->flush());
    return writer;
  };
  const auto writer = begin(folder / "rank-1.shardlens", "1");
  EXPECT_THAT(rules(folder.path()), IsEmpty()) << "it is being written";
  for (const char* name : {"rank-1.shardlens", "rank-1.shardlens-wal"}) {
    fs::copy_file(folder / name, killed / name);
  }
  ASSERT_TRUE(writer->close());
  EXPECT_THAT(rules(folder.path()), IsEmpty()) << "it was closed";
  EXPECT_THAT(rules(killed.path()), ElementsAre("process-died"));
  const auto other = begin(killed / "rank-0.shardlens", "0");
  EXPECT_THAT(rules(killed.path()), ElementsAre("process-died")) << "rank 0 is alive";
  ASSERT_TRUE(other->close());
  EXPECT_THAT(rules(killed.path()), ElementsAre("process-died"));
}

}  // namespace
}  // namespace shardlens
