#include "core/trace/merge/journal_merge.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/clock_record.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

constexpr EventId kAllEvents = std::numeric_limits<EventId>::max();

// A process that records one rank. In a program, a letter is an operator that makes a tensor of the
// last one in the step, "!" an all_reduce of all ranks, "&" one of the pair of the rank, "=" an
// operator on the tensor of the step before, "+" and "-" are operators with other details, "_" and
// "^" pass time, "/" begins a step, "~" at the end leaves the step running. "<" and ">" add 1 to
// the number in the names of later steps, or subtract it.
class RankOfJob {
 public:
  explicit RankOfJob(int rank, const std::string& clock) {
    recorder_.addSink(journal_);
    recorder_.setClock([this] { return now_ += 10; });
    recorder_.meta("mesh", "4:dp");
    recorder_.meta("backend", "job");
    recorder_.meta("hosted", std::to_string(rank));
    recorder_.meta(kClockKey, clockText({clock, {{0, 1000 + rank, 2000, 5}}}));
    recorder_.setRanks(std::to_string(rank));
    spec_ = recorder_.intern(Spec(DType::Float32, {4}, {Shard{0}}));
    now_ += rank;
    last_ = weight_ = recorder_.addTensor("weight", spec_);
    pair_ = rank < 2 ? "0,1" : "2,3";
  }

  void record(const std::string& program) {
    for (const char letter : program) record(letter);
    if (!program.ends_with('~')) endStep();
  }
  const Journal& journal() const { return journal_; }

 private:
  void record(char letter) {
    recorder_.setSite({.file = "a.py", .line = letter, .module = "m"});
    switch (letter) {
      case '/':
        endStep();
        recorder_.setStep(++steps_, 1);
        step_ = recorder_.begin(makeStep(recorder_, fmt::format("step {}", steps_ + ahead_)));
        earlier_ = std::exchange(last_, weight_);
        break;
      case '!':
        return call("0-3", "dp");
      case '&':
        return call(pair_, pair_);
      case '=':
        return compute("aten.add", earlier_, "");
      case '+':
      case '-':
        return compute("aten.mul", last_, letter == '+' ? R"({"args":"1"})" : R"({"args":"2"})");
      case '_':
        now_ += 1000;
        break;
      case '^':
        now_ += 7;
        break;
      case '<':
      case '>':
        ahead_ += letter == '<' ? 1 : -1;
        break;
      case '~':
        break;
      default:
        compute(std::string("aten.") + letter, last_, "");
    }
  }
  void compute(const std::string& name, TensorId input, std::string_view detail) {
    const std::vector<TensorId> inputs{input};
    if (name == "aten.mul") recorder_.setSite({.file = "a.py", .line = 1, .module = "m"});
    const EventId call = recorder_.begin(makePlainCall(recorder_, name, detail), inputs);
    last_ = recorder_.addTensor("x", spec_);
    recorder_.note(makeResult(recorder_, "x", last_, 16, 0));
    recorder_.end(call);
  }
  void call(const std::string& ranks, const std::string& group) {
    const auto texts = collectiveTexts(recorder_, ranks, {}, group);
    const EventId id =
        recorder_.begin(makeCollective(recorder_, CollectiveKind::AllReduce, texts, 0, 64));
    recorder_.complete(id, 3);
  }
  void endStep() {
    if (step_ != 0) recorder_.end(std::exchange(step_, 0));
  }

  Journal journal_;
  Recorder recorder_;
  std::int64_t now_ = 0;
  SpecId spec_ = 0;
  TensorId weight_ = 0, last_ = 0, earlier_ = 0;
  std::string pair_;
  EventId step_ = 0;
  int steps_ = 0;
  int ahead_ = 0;  // of the number of the step, in its name
};

// A text of all that a merged journal has.
std::string wholeText(const Journal& journal) {
  std::string text;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event e = journal.at(id);
    text += fmt::format("{} {} {} {} {} {} {} {} '{}' '{}' '{}' '{}' {} {} {} {} {} {} {} {} {} {}",
                        id, static_cast<int>(e.kind), e.time, e.duration, e.bytes, e.exposed,
                        e.parent, e.name, journal.text(e.name), journal.text(e.detail),
                        journal.text(e.ranks), journal.text(e.site), e.detail, e.ranks, e.subject,
                        e.related, e.line, e.step, e.count, e.group, e.sequence, e.inputs);
    for (const TensorId input : journal.inputs(id)) text += fmt::format(" i{}", input);
    for (int rank = 0; rank < 4; ++rank) {
      if (const auto part = journal.part(id, rank)) {
        text += fmt::format(" r{}:{}+{}", rank, part->time, part->duration);
      }
    }
    text += '\n';
  }
  const auto& parts = dynamic_cast<const MergedParts&>(journal.values());
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    text += fmt::format("tensor {} {} {}", id, journal.nameOf(id), journal.specOf(id));
    for (std::size_t i = 0; i < parts.processes().size(); ++i) {
      text += fmt::format(" {}", parts.tensors().ownOf(i, id));
    }
    text += '\n';
  }
  for (std::size_t i = 0; i < parts.processes().size(); ++i) {
    for (std::size_t step = 0; step < parts.programs().steps(); ++step) {
      const auto& run = parts.programs().run(i, step);
      text += fmt::format("program {} {}\n", run.first, run.program);
    }
  }
  return text;
}

// A job of four ranks, and its journal merged with and without repeated steps.
class TwiceMergedJob {
 public:
  explicit TwiceMergedJob(const std::vector<std::string>& programs,
                          const std::vector<std::string>& clocks = {"a", "a", "a", "a"}) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      ranks_.push_back(std::make_unique<RankOfJob>(static_cast<int>(rank), clocks[rank]));
      journals_.push_back(&ranks_.back()->journal());
    }
    record(programs);
    merge_ = std::make_unique<JournalMerge>(journals_);
    joined_ = std::make_unique<JournalMerge>(journals_);
    joined_->joinEachEvent();
  }
  void record(const std::vector<std::string>& programs) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) ranks_[rank]->record(programs[rank]);
  }
  void advance() {
    each([](JournalMerge& merge) { return merge.advance(kAllEvents); });
  }
  void finish() {
    each([](JournalMerge& merge) { return merge.finish(kAllEvents); });
  }
  std::size_t repeated() const { return merge_->repeatedSteps(); }
  const Journal& journal() const { return merge_->journal(); }

 private:
  template <class Take>
  void each(const Take& take) {
    for (const auto& merge : {merge_.get(), joined_.get()}) {
      while (take(*merge)) continue;
    }
    EXPECT_EQ(wholeText(merge_->journal()), wholeText(joined_->journal()));
    EXPECT_EQ(joined_->repeatedSteps(), 0);
  }

  std::vector<std::unique_ptr<RankOfJob>> ranks_;
  std::vector<const Journal*> journals_;
  std::unique_ptr<JournalMerge> merge_, joined_;
};

// Returns how many steps repeat an earlier one. No step repeats the first one, which is the first
// to refer to the weights.
std::size_t repeated(const std::vector<std::string>& programs,
                     const std::vector<std::string>& clocks = {"a", "a", "a", "a"}) {
  TwiceMergedJob job(programs, clocks);
  job.finish();
  return job.repeated();
}

TEST(RepeatedStep, FollowsOneOfTheSameEvents) {
  EXPECT_EQ(repeated({"/ab!&c/ab!&c/ab!&c/ab!&c", "/ab!&c/ab!&c/ab!&c/ab!&c",
                      "/ab!&c/ab!&c/ab!&c/ab!&c", "/ab!&c/ab!&c/ab!&c/ab!&c"}),
            2);
}

TEST(RepeatedStep, HasOtherTimes) {
  EXPECT_EQ(
      repeated({"/ab!c/a_b!c/ab_!c", "/ab!c/ab!c/a^b!c", "/_ab!c/ab!c/ab!_c", "/ab!c/^ab!c/ab!c^"}),
      1);
}

TEST(RepeatedStep, RanksMayRunSeparatePrograms) {
  EXPECT_EQ(repeated({"/ab!&c/ab!&c/ab!&c", "/ba!&/ba!&/ba!&", "/!&d/!&d/!&d", "/&!/&!/&!"}), 1);
}

TEST(RepeatedStep, RefersToTensorsOfTheStepBefore) {
  EXPECT_EQ(
      repeated({"/a=b/a=b/a=b/a=b", "/a=b/a=b/a=b/a=b", "/a=b/a=b/a=b/a=b", "/a=b/a=b/a=b/a=b"}),
      2);
}

TEST(RepeatedStep, MayHaveOtherDetails) {
  EXPECT_EQ(
      repeated({"/a+b/a+b/a-b/a+b", "/a+b/a+b/a-b/a+b", "/a+b/a-b/a-b/a+b", "/a+b/a+b/a-b/a-b"}),
      2);
}

TEST(RepeatedStep, OneEventMoreOrAnotherOneIsJoined) {
  const std::string same = "/ab!c/ab!c/ab!c/ab!c";
  EXPECT_EQ(repeated({same, same, same, "/ab!c/ab!c/ad!c/ab!c"}), 1);
  EXPECT_EQ(repeated({"/ab!c/ab!c/ab!cd/ab!c", same, same, same}), 1);
  EXPECT_EQ(repeated({same, same, same, "/ab!c/ab!c/ab!c/ab!cd"}), 1);
  EXPECT_EQ(repeated({same, "/ab!c/ab!c/ab!/ab!c", same, same}), 1);
}

// Only the numbers of the calls show that the pairs meet in another order.
TEST(RepeatedStep, CallsOfACommunicatorAreNumberedAlike) {
  EXPECT_EQ(repeated({"/a&/a&/a&", "/a&/a&/a&", "/a&/a&/a&", "/a&/a&/a&"}), 1);
  // Rank 1 calls once more in the second step. From then on its calls meet no others, and only the
  // fourth step repeats such a step.
  EXPECT_EQ(repeated({"/a&/a&/a&/a&", "/a&/a&&/a&/a&", "/a&/a&/a&/a&", "/a&/a&/a&/a&"}), 1);
  // In the fourth step rank 0 makes up for it. From then on the calls meet again.
  EXPECT_EQ(repeated({"/a&/a&/a&/a&&/a&/a&", "/a&/a&&/a&/a&/a&/a&", "/a&/a&/a&/a&/a&/a&",
                      "/a&/a&/a&/a&/a&/a&"}),
            1);
}

TEST(RepeatedStep, ReturnsAfterStepsOfAnotherProgram) {
  const std::string evaluates = "/ab!/ab!/vw/ab!/ab!/vw/ab!";
  EXPECT_EQ(repeated({evaluates, evaluates, evaluates, evaluates}), 4);
}

// Of 64 steps in turn that repeat none, the merge compares the first 8 only. Here 54 steps precede,
// so that the first 10 of the equal ones are joined.
TEST(RepeatedStep, IsFoundAgainAfterManyOtherSteps) {
  std::string program;
  for (std::size_t step = 1; step <= 54; ++step) program += "/" + std::string(step, 'a');
  for (int step = 0; step < 20; ++step) program += "/b";
  EXPECT_EQ(repeated({program, program, program, program}), 10);
}

TEST(RepeatedStep, MayLackARankThatHasEnded) {
  const std::string same = "/ab/ab/ab/ab/ab";
  EXPECT_EQ(repeated({same, same, "/ab/ab", same}), 2);
}

// From the third step to the fourth, rank 1 names the steps otherwise than the remaining ranks.
TEST(RepeatedStep, HasStepsOfOneNameWhereTheOtherHas) {
  const std::string same = "/ab/ab/ab/ab/ab/ab";
  EXPECT_EQ(repeated({same, "/ab/ab</ab/ab>/ab/ab", same, same}), 3);
  EXPECT_EQ(repeated({"/ab</ab/ab>/ab/ab</ab", same, same, same}), 3);
}

TEST(RepeatedStep, ARunningStepIsJoined) {
  const std::string same = "/ab!c/ab!c/ab!c";
  EXPECT_EQ(repeated({same, same, same + "~", same}), 0);
}

TEST(RepeatedStep, ClocksOfMachinesAreComparedInTheSameOrder) {
  const std::string same = "/ab!&c/ab!&c/ab!&c/ab!&c";
  EXPECT_EQ(repeated({"/ab!&c/a_b!&c/ab!&c/_ab!&c", same, "/ab!&c/ab!&_c/ab!&c/ab_!&c", same},
                     {"a", "a", "b", "c"}),
            2);
}

TEST(RepeatedStep, GrowsWithTheRecordings) {
  TwiceMergedJob job({"/ab!c/ab!c/ab!c", "/ab!c/ab!c/ab!c", "/ab!c/ab!c/ab!c", "/ab!c/ab!c/ab!c"});
  job.advance();
  EXPECT_EQ(job.repeated(), 0);  // the last step may have more events
  job.record({"/ab!c/ab!c", "/ab!c/ab!c", "/ab!c", "/ab!c/ab!c"});
  job.advance();
  EXPECT_EQ(job.repeated(), 0);
  job.record({"/ab!c", "/ab!c", "/ab!c/ab!c", "/ab!c"});
  job.advance();
  EXPECT_EQ(job.repeated(), 1);
  job.finish();
  EXPECT_EQ(job.journal().size(), 6 * 8);
}

// The second step is joined when rank 1 has recorded half of it, so that its call meets no others.
// The third step has the same events, but is joined as usual, and repeated by the fourth one.
TEST(RepeatedStep, DoesNotRepeatOneThatGrewAfterFinish) {
  TwiceMergedJob job({"/ab!c/ab!c", "/ab!c/ab~", "/ab!c/ab!c", "/ab!c/ab!c"});
  job.finish();
  job.record({"/ab!c/ab!c", "!c/ab!c/ab!c", "/ab!c/ab!c", "/ab!c/ab!c"});
  job.finish();
  EXPECT_EQ(job.repeated(), 1);
}

}  // namespace
}  // namespace shardlens
