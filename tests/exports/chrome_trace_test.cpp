#include "core/exports/chrome_trace.h"

#include "core/base/json_text.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>

#include <sstream>

namespace shardlens {
namespace {

using nlohmann::json;

json traceOf(const Journal& journal, const std::vector<RankRange>& ranks = {}) {
  std::ostringstream out;
  const auto written = writeChromeTrace(journal, out, view::Notation::DTensor, ranks);
  EXPECT_TRUE(written) << written.error().message;
  json trace = parsedJson(out.str());
  EXPECT_FALSE(trace.is_discarded()) << out.str();
  return trace;
}

// Returns the events without the metadata events that name processes and threads.
json eventsOf(const json& trace) {
  json events = json::array();
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "M") events.push_back(event);
  }
  return events;
}

class ChromeTraceTest : public ::testing::Test {
 protected:
  ChromeTraceTest() {
    recorder_.addSink(journal_);
    recorder_.setClock([this] { return now_ += 1500; });
    recorder_.meta("mesh", "2:tp");
  }

  std::int64_t now_ = 0;
  Recorder recorder_;
  Journal journal_;
};

TEST_F(ChromeTraceTest, OnlySelectedRanksHaveLanes) {
  const Span span(recorder_, makeOperator(recorder_, "aten.mm"));
  const json trace = traceOf(journal_, {{1, 1}});
  for (const json& event : trace["traceEvents"]) EXPECT_EQ(event["pid"], 1);
  EXPECT_EQ(eventsOf(trace).size(), 1U);
  EXPECT_EQ(eventsOf(traceOf(journal_)).size(), 2U);
}

TEST_F(ChromeTraceTest, ASpanIsShownPerRankAndCollectivesInSeparateLanes) {
  recorder_.meta("title", "of two \"ranks\"");
  recorder_.setStep(3, 7);
  {
    const TensorId x = recorder_.addTensor("x", {DType::Float32, {8, 4}, {Shard{0}}});
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "S(0) -> R"), x, Verdict::Implicit));
    Event send =
        makeCollective(recorder_, CollectiveKind::AllGather, "0,1", 0, 128, {.axis = "tp"});
    send.group = recorder_.intern("tp:0");
    send.sequence = 5;
    const Span span(recorder_, send);
  }
  const json trace = traceOf(journal_);
  EXPECT_EQ(trace["otherData"], json({{"title", "of two \"ranks\""}, {"mesh", "2:tp"}}));
  EXPECT_EQ(trace["traceEvents"][0], json({{"ph", "M"},
                                           {"pid", 0},
                                           {"tid", 0},
                                           {"name", "process_name"},
                                           {"args", {{"name", "rank 0"}}}}));
  const json events = eventsOf(trace);
  ASSERT_EQ(events.size(), 4U);
  const json move = {{"ph", "X"},
                     {"ts", 1.5},
                     {"dur", 4.5},
                     {"pid", 1},
                     {"tid", 0},
                     {"name", "redistribute x: S(0) → R"},
                     {"cat", "redistribute"},
                     {"args",
                      {{"event", 1},
                       {"kind", "Redistribute"},
                       {"verdict", "Implicit"},
                       {"step", 4},
                       {"line", 7},
                       {"tensor", "x"},
                       {"change", "S(0) -> R"}}}};
  EXPECT_EQ(events[1], move);
  const json send = {{"ph", "X"},
                     {"ts", 3.0},
                     {"dur", 1.5},
                     {"pid", 0},
                     {"tid", 1},
                     {"name", "all_gather over tp"},
                     {"cat", "collective"},
                     {"args",
                      {{"event", 2},
                       {"kind", "Collective"},
                       {"step", 4},
                       {"line", 7},
                       {"bytes", 128},
                       {"ranks", "0,1"},
                       {"group", "tp:0"},
                       {"sequence", 5}}}};
  EXPECT_EQ(events[2], send);
}

TEST_F(ChromeTraceTest, AnEventOfSomeRanksIsShownForTheseOnly) {
  recorder_.setRanks("1");
  recorder_.note(makeStep(recorder_, "x"));
  const json events = eventsOf(traceOf(journal_));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["pid"], 1);
  EXPECT_EQ(events[0]["ph"], "i");  // has no duration
}

TEST_F(ChromeTraceTest, ASpanOfAKilledRunOnlyBegins) {
  recorder_.begin(makeStep(recorder_, "x"));
  const json events = eventsOf(traceOf(journal_));
  EXPECT_EQ(events[0]["ph"], "B");
  EXPECT_FALSE(events[0].contains("dur"));
}

TEST_F(ChromeTraceTest, OfADryRunHasTheFirstRankOnly) {
  recorder_.meta("mesh", "1024x1024");
  recorder_.meta("backend", "dry");
  recorder_.note(makeStep(recorder_, "x"));
  EXPECT_EQ(eventsOf(traceOf(journal_)).size(), 1U);
}

TEST_F(ChromeTraceTest, EachRankHasTheClockOfItsProcess) {
  recorder_.begin(makeStep(recorder_, "x"));
  journal_.setPartLookup([](EventId, int rank) {
    return rank == 0 ? std::nullopt : std::optional(EventPart{2'000'001, 42});
  });
  const json events = eventsOf(traceOf(journal_));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["pid"], 1);
  EXPECT_EQ(events[0]["ts"], 2000.001);
  EXPECT_EQ(events[0]["dur"], 0.042);
}

TEST(ChromeTrace, WithoutTimesIsRefused) {
  Journal journal(SinkRequests{.times = false});
  Recorder recorder;
  recorder.addSink(journal);
  recordSample(recorder);
  std::ostringstream out;
  const auto written = writeChromeTrace(journal, out);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "trace: the recording has no times, only the order of its events");
  EXPECT_EQ(out.str(), "");
}

// The spans of a thread nest, but the program continues while a collective is in progress.
TEST_F(ChromeTraceTest, ACollectiveThatOverlapsOtherEventsIsAsynchronous) {
  const EventId send = recorder_.begin(
      makeCollective(recorder_, CollectiveKind::AllGather, "0,1", 0, 128, {.axis = "tp"}));
  recorder_.detach(send);
  recorder_.note(makeCompute(recorder_, "mm"));
  recorder_.complete(send, 1000);
  const json events = eventsOf(traceOf(journal_));
  ASSERT_EQ(events.size(), 6U);
  for (const int rank : {0, 1}) {
    const json& begin = events[static_cast<std::size_t>(2 * rank)];
    const json& end = events[static_cast<std::size_t>(2 * rank + 1)];
    EXPECT_EQ(begin["ph"], "b");
    EXPECT_EQ(end["ph"], "e");
    EXPECT_EQ(begin["id"], end["id"]);
    EXPECT_EQ(begin["cat"], end["cat"]);
    EXPECT_EQ(begin["pid"], rank);
    EXPECT_LT(begin["ts"].get<double>(), end["ts"].get<double>());
  }
}

}  // namespace
}  // namespace shardlens
