#include "core/trace/merge/program_roles.h"

#include "app/bench/run_case.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/site_record.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Records jobs of four ranks. A letter is an operator, at a line of its own. "!" and "?" are the
// calls all_reduce and reduce_scatter of all ranks. "/" begins a step. "~" at the end leaves the
// step running.
class JobOfRanks {
 public:
  explicit JobOfRanks(const std::vector<std::string>& programs) {
    int rank = 0;
    for (const auto& program : programs) record(rank++, program);
    reader_ = TraceReader::open(folder_.path()).value();
    while (reader_->settle()) continue;
  }
  const Journal& journal() const { return reader_->journal(); }

  std::vector<std::string> roles() const {
    std::vector<std::string> all;
    for (const auto& role : programRoles(journal())) all.push_back(rangesText(role.ranks));
    return all;
  }
  // "2: b of 3, a of 0-2": in step 2.
  std::vector<std::string> divergences() const {
    std::vector<std::string> all;
    for (const auto& each : shardlens::divergences(journal())) {
      all.push_back(std::to_string(each.step) + ": " + text(each.other) + ", " + text(each.most));
    }
    return all;
  }

 private:
  std::string text(const Divergence::Side& side) const {
    const Event event = journal().at(side.event);
    return std::string(journal().name(event)) + " of " + rangesText(side.ranks);
  }

  void record(int rank, const std::string& program) {
    const auto writer =
        TraceWriter::create(folder_ / ("rank-" + std::to_string(rank) + ".shardlens")).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "4:dp");
    recorder.meta("hosted", std::to_string(rank));
    recorder.setRanks(std::to_string(rank));
    const auto calls = collectiveTexts(recorder, "0-3", {}, "dp");
    EventId step = 0;
    int steps = 0;
    for (const char letter : program) {
      recorder.setSite({.file = "a.py", .line = letter, .module = "m"});
      if (letter == '/') {
        if (step != 0) recorder.end(step);
        recorder.setStep(++steps, 1);
        step = recorder.begin(makeStep(recorder, "step"));
      } else if (letter == '!' || letter == '?') {
        const auto kind = letter == '!' ? CollectiveKind::AllReduce : CollectiveKind::ReduceScatter;
        recorder.end(recorder.begin(makeCollective(recorder, kind, calls, 0, 4)));
      } else if (letter != '~') {
        recorder.end(recorder.begin(makeOperator(recorder, std::string(1, letter))));
      }
    }
    if (step != 0 && !program.ends_with('~')) recorder.end(step);
    ASSERT_TRUE(writer->close());
  }

  ScratchFolder folder_;
  std::unique_ptr<TraceReader> reader_;
};

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

}  // namespace
}  // namespace shardlens
