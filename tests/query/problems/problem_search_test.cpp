// An incremental search of a growing recording finds the same problems as a search of the whole.
#include "core/query/problems/problems.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/job_of_ranks.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace shardlens {

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.rule << ": " << problem.sentence << ", " << problem.times << " times";
}

namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

// Replays a recording event by event. A span stays open until an event outside it follows. The
// values of an event are replayed after it.
class Replayed {
 public:
  explicit Replayed(const Journal& whole) : whole_(whole) {
    for (const auto& [key, value] : whole.meta()) journal_.onMeta(key, value);
    for (StringId id = 1; id <= whole.strings(); ++id) journal_.onString(id, whole.text(id));
    for (SpecId id = 1; id <= whole.specs(); ++id) journal_.onSpec(id, whole.spec(id));
    for (RouteId id = 1; id <= whole.routes(); ++id) journal_.onRoute(id, whole.route(id));
    for (TensorId id = 1; id <= whole.tensors(); ++id) {
      journal_.onTensor(id, whole.nameOf(id), whole.specOf(id));
    }
    for (std::size_t i = 0; i < whole.values().size(); ++i) {
      const auto value = whole.values().at(i);
      if (value) values_.emplace(value->event, *value);
    }
  }

  bool isOver() const { return journal_.size() == whole_.size(); }
  const Journal& journal() const { return journal_; }

  void replayEvent() {
    const EventId id = journal_.size() + 1;
    Event event = whole_.at(id);
    while (!open_.empty() && open_.back() != event.parent) {
      journal_.onEnd(open_.back(), whole_.at(open_.back()).duration);
      open_.pop_back();
    }
    event.duration = Event::kRunning;
    journal_.onEvent(id, event, whole_.inputs(id));
    open_.push_back(id);
  }
  void replayValues() {
    const auto [first, end] = values_.equal_range(journal_.size());
    for (auto value = first; value != end; ++value) journal_.onValue(value->second);
  }

 private:
  const Journal& whole_;
  Journal journal_;
  std::multimap<EventId, ValueRecord> values_;
  std::vector<EventId> open_;
};

TEST(ProblemSearch, FindsTheProblemsOfEachPosition) {
  std::size_t recordings = 0;
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(SHARDLENS_RECORDINGS)) {
    const auto reader = TraceReader::open(file.path());
    if (!reader || (*reader)->journal().isMerged()) continue;
    ++recordings;
    Replayed run((*reader)->journal());
    ProblemSearch search(run.journal());
    while (!run.isOver()) {
      run.replayEvent();
      search.look(1);
      run.replayValues();
      const auto all = findProblems(run.journal());
      ASSERT_THAT(search.problems(RunState::Ended), ElementsAreArray(all))
          << file.path() << " at " << search.seen();
      found += all.size();
    }
  }
  EXPECT_GE(recordings, 5U);
  EXPECT_GT(found, 0U);
}

struct Recorded {
  Recorded() {
    recorder.addSink(journal);
    recorder.setCapture(CaptureLevel::Statistics);
    recorder.meta("mesh", "4:tp");
    recorder.setRanks("0-3");
  }
  EventId error(const std::string& text) { return recorder.note(makeError(recorder, text)); }

  Recorder recorder;
  Journal journal;
};

TEST(ProblemSearch, LooksAtSoManyEventsAtATime) {
  Recorded run;
  for (const char* text : {"a", "b", "c"}) run.error(text);
  ProblemSearch search(run.journal);
  EXPECT_THAT(search.problems(RunState::Ended), IsEmpty());
  search.look(2);
  EXPECT_EQ(search.seen(), 2U);
  EXPECT_EQ(search.problems(RunState::Ended).size(), 2U);
  search.look(~EventId{0});
  EXPECT_EQ(search.seen(), 3U);
  search.look(1);
  EXPECT_EQ(search.seen(), 3U);
  EXPECT_EQ(search.problems(RunState::Ended).size(), 3U);
}

TEST(ProblemSearch, AHeldBufferIsALeakOnlyAfterTheRun) {
  Recorded run;
  const MaskPartial pending{ReduceOp::Sum, {10, 3}, 0};
  run.recorder.note(makeMaskEvent(run.recorder, pending, 1, 1, {.holder = "x'"}));
  ProblemSearch search(run.journal);
  search.look(1);
  EXPECT_THAT(search.problems(RunState::Running), IsEmpty());
  EXPECT_EQ(search.problems(RunState::Ended).size(), 1U);
}

// The run is so long that the rule judges it in parts, before and after its values are final.
TEST(ProblemSearch, FollowsNotANumberThroughALongRun) {
  constexpr int kCalls = 1000;
  Recorded run;
  ProblemSearch search(run.journal);
  const auto add = [&](const char* name) {
    return run.recorder.addTensor(name, {DType::Float32, {4}, {Replicate{}}});
  };
  TensorId from = add("x");
  for (int call = 0; call < kCalls; ++call) {
    const Span op(run.recorder, makeOperator(run.recorder, "aten.op"), std::span(&from, 1));
    from = add(call == 3 ? "born" : call == 900 ? "again" : "y");
    run.recorder.note(makeResult(run.recorder, "y", from, 0, 0));
    search.look(~EventId{0});  // before the value is recorded
    const bool isNan = (call >= 3 && call < 500) || call >= 900;
    recordValue(run.recorder, valueOf<float>(from, 0, {1}, {isNan ? std::nanf("") : 1.0F}));
    if (call % 97 == 0) {
      ASSERT_THAT(search.problems(RunState::Ended), ElementsAreArray(findProblems(run.journal)));
    }
  }
  std::vector<std::string> sentences;
  for (const auto& problem : search.problems(RunState::Ended)) {
    sentences.push_back(problem.sentence);
  }
  EXPECT_THAT(sentences,
              ElementsAre("NaN after aten.op, whose recorded inputs have none: born on rank 0",
                          "NaN after aten.op, whose recorded inputs have none: again on rank 0"));
}

// A collective that one rank does not join hangs, then ends many events later.
TEST(ProblemSearch, JudgesAWaitWhenItIsOver) {
  Recorded run;
  run.recorder.meta("hosted", "0-3");
  EventId hung = 0;
  bool hangs = true;
  run.journal.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (id == hung && rank == 1) return std::nullopt;
    return EventPart{id * 1000, id == hung && hangs ? Event::kRunning : 5};
  });
  ProblemSearch search(run.journal);
  const auto waits = [&] {
    search.look(~EventId{0});
    const auto found = search.problems(RunState::Ended);
    EXPECT_THAT(found, ElementsAreArray(findProblems(run.journal)));
    return std::count_if(found.begin(), found.end(),
                         [](const Problem& each) { return each.rule == "rank-that-waits"; });
  };
  hung = 1;
  const EventId span = run.recorder.begin(
      makeCollective(run.recorder, CollectiveKind::AllReduce, "0-3", 0, 8, {.axis = "tp"}));
  EXPECT_EQ(waits(), 1);
  for (int i = 0; i < 300; ++i) run.recorder.note(makeCompute(run.recorder, "local"));
  EXPECT_EQ(waits(), 1);
  hangs = false;
  run.recorder.end(span);
  EXPECT_EQ(waits(), 0);
  run.recorder.note(makeCompute(run.recorder, "local"));
  EXPECT_EQ(waits(), 0);
}

// Each step of the ranks 1 and 3 has another program than those of 0 and 2; they part in the last.
TEST(ProblemSearch, PreparesDivergencesInSlices) {
  const std::string all = "/ab/ab/ab/ab/ab", more = "/ab/abc/abd/abe/xb";
  const JobOfRanks job({all, more, all, more});
  ProblemSearch search(job.journal());
  search.look(job.journal().size());
  const auto never = [] { return false; };
  for (int done = 1; done < 5 + 4; ++done) {  // begins five steps, compares four
    EXPECT_FALSE(search.prepare(never)) << done;
    EXPECT_THAT(search.problems(RunState::Ended), IsEmpty());
  }
  EXPECT_TRUE(search.prepare(never));
  const auto found = search.problems(RunState::Ended);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().rule, "divergence");
  EXPECT_EQ(found, findProblems(job.journal()));
}

}  // namespace
}  // namespace shardlens
