// The engine process that the window starts: stepping, stopping, killing and refusing.

#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/session/engine_process.h"
#include "tests/session/programs.h"

#include <csignal>
#include <limits>

namespace shardlens {
namespace {

constexpr EventId kEnd = std::numeric_limits<EventId>::max();
constexpr auto kPaused = Report::Kind::Paused;
constexpr auto kFinished = Report::Kind::Finished;

Request runTo(EventId position) { return {Request::Kind::RunTo, position}; }

Journal expectedJournal() {
  Journal journal;
  Session session(scenario(kRowWise), {{&journal}, CaptureLevel::All});
  while (session.step()) {
  }
  return journal;
}

EventId firstCollective(const Journal& journal) {
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).kind == EventKind::Collective) return id;
  }
  return 0;
}

TEST(Engine, StepsEventByEventAndEveryPauseIsInTheRecording) {
  const Journal expected = expectedJournal();
  StateIndex states(expected);
  EngineProcess engine{std::string(kRowWise)};
  EXPECT_EQ(engine.settle(), (Report{kPaused, 0}));
  const auto reader = TraceReader::open(engine.recording());
  ASSERT_TRUE(reader) << reader.error().message;
  StateIndex live((*reader)->journal());
  for (EventId position = 1; position <= expected.size(); ++position) {
    engine.send(runTo(position));
    EXPECT_EQ(engine.settle(), (Report{kPaused, position}));
    ASSERT_TRUE((*reader)->refresh());
    ASSERT_EQ((*reader)->journal().size(), position);
    EXPECT_EQ(live.at(position), states.at(position)) << position;
  }
  engine.send(runTo(kEnd));
  EXPECT_EQ(engine.settle(), (Report{kFinished, expected.size()}));
  EXPECT_EQ(engine.wait(), 0);
}

TEST(Engine, KilledDuringACollectiveItLeavesTheEventsSoFar) {
  const Journal expected = expectedJournal();
  const EventId collective = firstCollective(expected);
  EngineProcess engine{std::string(kRowWise)};
  engine.settle();
  engine.send(runTo(collective));
  EXPECT_EQ(engine.settle(), (Report{kPaused, collective}));
  engine.kill();
  EXPECT_EQ(engine.wait(), -SIGKILL);

  const auto reader = TraceReader::open(engine.recording());
  ASSERT_TRUE(reader) << reader.error().message;
  const Journal& read = (*reader)->journal();
  ASSERT_EQ(read.size(), collective);
  const Event& last = read.at(collective);
  EXPECT_EQ(last.kind, EventKind::Collective);
  EXPECT_EQ(read.name(last), "all_reduce");
  EXPECT_EQ(last.duration, Event::kRunning);
  EXPECT_EQ(read.at(last.parent).duration, Event::kRunning);
  StateIndex states(read), whole(expected);
  EXPECT_EQ(states.at(collective), whole.at(collective));
}

TEST(Engine, EndsWhenTheWindowStopsItOrGoes) {
  EngineProcess stopped{std::string(kRowWise)};
  stopped.settle();
  stopped.send({Request::Kind::Stop, 0});
  EXPECT_EQ(stopped.wait(), 0);
  EngineProcess left{std::string(kRowWise)};
  left.settle();
  left.hangUp();
  EXPECT_EQ(left.wait(), 0);
  EXPECT_TRUE(TraceReader::open(left.recording()));
}

TEST(Engine, EndsWithAMessageOnAnInvalidRequest) {
  EngineProcess engine{std::string(kRowWise)};
  engine.settle();
  engine.send(runTo(3));
  engine.settle();
  engine.sendBytes("GET / HTTP/1.1\r\n");
  EXPECT_EQ(engine.wait(), 1);
  EXPECT_EQ(engine.errors(),
            "engine protocol: got `GET / HTTP/1.1`, expected one JSON object a line\n");
  const auto reader = TraceReader::open(engine.recording());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->journal().size(), 3U);
}

TEST(Engine, RefusesAScenarioItCannotReadBeforeItBegins) {
  EngineProcess engine("{\"shardlens\": 1}");
  EXPECT_EQ(engine.wait(), 2);
  EXPECT_NE(engine.errors().find("scenario.json:1: "), std::string::npos) << engine.errors();
  EXPECT_FALSE(std::filesystem::exists(engine.recording()));
}

TEST(Engine, RefusesMoreRanksThanItCanSimulateBeforeItBegins) {
  EngineProcess engine(R"json({"shardlens": 1, "mesh": {"shape": [4096, 4096]}, "steps": [
    {"id": "a", "call": "tensor", "data": [1, 2, 3, 4], "placements": ["R", "R"]}]})json");
  EXPECT_EQ(engine.wait(), 2);
  EXPECT_NE(engine.errors().find("got 16777216 ranks, expected at most 65536"), std::string::npos)
      << engine.errors();
  EXPECT_FALSE(std::filesystem::exists(engine.recording()));
}

TEST(Engine, ARefusedStepIsTheLastEvent) {
  EngineProcess engine(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
    {"id": "a", "call": "tensor", "data": [1], "placements": ["S(3)"]}]
})json");
  engine.settle();
  engine.send(runTo(kEnd));
  EXPECT_EQ(engine.settle(), (Report{kFinished, 2}));
  EXPECT_EQ(engine.wait(), 0);
  const auto reader = TraceReader::open(engine.recording());
  ASSERT_TRUE(reader);
  StateIndex states((*reader)->journal());
  EXPECT_EQ(states.at(2).error,
            "placement S(3) on a tensor of 1 dimensions: expected a dimension from -1 to 0");
}

}  // namespace
}  // namespace shardlens
