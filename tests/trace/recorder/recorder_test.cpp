#include "core/trace/recorder/recorder.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace shardlens {
namespace {

Event named(Recorder& recorder, const char* name) {
  Event event;
  event.name = recorder.intern(name);
  return event;
}

TEST(Recorder, WithoutSinksDoesNothing) {
  Recorder recorder;
  EXPECT_FALSE(recorder.on());
  EXPECT_EQ(recorder.intern("w"), 0U);
  EXPECT_EQ(recorder.addTensor("w", SpecRecord{}), 0U);
  EXPECT_EQ(recorder.note(Event{}), 0U);
  EXPECT_EQ(Span(recorder, Event{}).id(), 0U);
}

TEST(Recorder, TheInnermostOpenSpanIsTheParent) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setStep(2, 9);
  {
    const Span outer(recorder, named(recorder, "outer"));
    EXPECT_EQ(journal.at(1).duration, Event::kRunning);
    {
      const Span inner(recorder, named(recorder, "inner"));
      recorder.note(named(recorder, "note"));
    }
    recorder.setStep(3, 10);
    recorder.note(named(recorder, "note"));
  }
  recorder.note(Event{});
  ASSERT_EQ(journal.size(), 5U);
  const std::vector<EventId> parents = {0, 1, 2, 1, 0};
  for (EventId id = 1; id <= 5; ++id) EXPECT_EQ(journal.at(id).parent, parents[id - 1]);
  EXPECT_EQ(journal.at(3).name, journal.at(4).name);
  EXPECT_EQ(journal.strings(), 3U);
  EXPECT_EQ(journal.at(3).step, 2);
  EXPECT_EQ(journal.at(4).line, 10);
  EXPECT_GE(journal.at(1).duration, journal.at(2).duration);
  for (EventId id = 2; id <= 5; ++id) EXPECT_GE(journal.at(id).time, journal.at(id - 1).time);
}

TEST(Recorder, ASpanTakesTheDurationOfABetterClock) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setClock([now = 0]() mutable { return now += 10; });
  {
    const Span outer(recorder, Event{});
    Span timed(recorder, Event{});
    timed.took(std::chrono::nanoseconds(3));
    Span untimed(recorder, Event{});
    untimed.took(std::nullopt);
    recorder.begin(Event{});
  }
  const std::vector<std::int64_t> durations = {60, 3, 20, 10};
  for (EventId id = 1; id <= 4; ++id) EXPECT_EQ(journal.at(id).duration, durations[id - 1]) << id;
}

TEST(Recorder, CallsTheHookAgainAfterItThrew) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  int calls = 0;
  recorder.onUnscopedEvent([&] {
    if (++calls == 1) throw std::runtime_error("on purpose");
  });
  EXPECT_THROW(recorder.note(Event{}), std::runtime_error);
  recorder.note(Event{});
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(journal.size(), 1U);
}

TEST(Recorder, ReadsNoClockUnlessASinkRequestsTimes) {
  Recorder recorder;
  Journal order({.times = false});
  recorder.addSink(order);
  int calls = 0;
  recorder.setClock([&] { return std::int64_t{100} * ++calls; });
  {
    const Span span(recorder, named(recorder, "span"));
    Event took = named(recorder, "took");
    took.duration = 7;
    recorder.note(took);
    EXPECT_EQ(order.at(1).duration, Event::kRunning);
  }
  EXPECT_EQ(calls, 0);
  for (const EventId id : {1U, 2U}) {
    EXPECT_EQ(order.at(id).time, 0);
    EXPECT_EQ(order.at(id).duration, 0);
  }
}

TEST(Recorder, RecordsTheUnionOfTheSinksRequests) {
  Recorder recorder;
  EXPECT_FALSE(recorder.recordsTimes() || recorder.recordsReasons());
  Journal order({.times = false, .reasons = false});
  recorder.addSink(order);
  EXPECT_TRUE(recorder.on());
  EXPECT_FALSE(recorder.recordsTimes() || recorder.recordsReasons());
  Journal why({.times = false});
  recorder.addSink(why);
  EXPECT_TRUE(recorder.recordsReasons() && !recorder.recordsTimes());
  Journal all;
  recorder.addSink(all);
  EXPECT_TRUE(recorder.recordsReasons() && recorder.recordsTimes());
  recorder.addSink(order);
  EXPECT_TRUE(recorder.recordsReasons() && recorder.recordsTimes()) << "the last wants neither";
  recorder.removeSinks();
  EXPECT_FALSE(recorder.recordsTimes() || recorder.recordsReasons());
}

TEST(Recorder, CountsTheCollectivesOfEachStepWithoutSinks) {
  Recorder recorder;
  recorder.setStep(0, 1);
  for (const char* kind : {"all_gather", "scatter", "all_gather"}) {
    ++recorder.collectives(kind).count;
  }
  recorder.setStep(1, 2);
  ++recorder.collectives("all_gather").count;
  std::string counts;
  for (const auto& each : recorder.collectives()) {
    counts += std::to_string(each.step) + " " + each.kind + " " + std::to_string(each.count) + "; ";
  }
  EXPECT_EQ(counts, "0 all_gather 2; 0 scatter 1; 1 all_gather 1; ");
}

class Failing final : public EventSink {
 public:
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const SpecRecord&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  void onEvent(EventId, const Event&, std::span<const TensorId>) override {}
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId id, std::int64_t) override {
    throw std::runtime_error("no end for " + std::to_string(id));
  }
};

TEST(Recorder, RethrowKeepsTheFirstExceptionOfASinkAtAnEnd) {
  Recorder recorder;
  Failing failing;
  recorder.addSink(failing);
  {
    const Span outer(recorder, Event{});
    const Span inner(recorder, Event{});
  }
  EXPECT_EQ(recorder.note(Event{}), 3U);
  try {
    recorder.rethrow();
    FAIL() << "nothing was kept";
  } catch (const std::runtime_error& kept) {
    EXPECT_STREQ(kept.what(), "no end for 2") << "the first of two";
  }
  recorder.rethrow();
}

TEST(Recorder, AnExceptionEndsTheSpansItLeaves) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  EXPECT_THROW(
      {
        const Span outer(recorder, Event{});
        recorder.begin(Event{});
        throw std::runtime_error("inside");
      },
      std::runtime_error);
  EXPECT_GE(journal.at(1).duration, 0);
  EXPECT_GE(journal.at(2).duration, 0);
  recorder.note(Event{});
  EXPECT_EQ(journal.at(3).parent, 0U);
}

TEST(Recorder, OnlyTensorsOnAnotherMeshHaveAMesh) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  const auto whole = DeviceMesh::make({4}, {"tp"}).value();
  const auto some = DeviceMesh::make({2}, {"tp"}, {0, 2}).value();
  recorder.setMesh(whole);
  recorder.addTensor("w", {DType::Float32, {4}, {Shard{0}}, whole});
  recorder.addTensor("u", {DType::Float32, {4}, {Shard{0}}, some});
  EXPECT_FALSE(journal.tensor(1).mesh);
  EXPECT_EQ(journal.tensor(2).mesh, some);
}

// Returns the record of a shard of four floats, captured at this level.
ValueRecord captured(CaptureLevel level, std::size_t wholeUpTo) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setCapture(level, wholeUpTo);
  const TensorId id = recorder.addTensor("w", {DType::Float32, {4}, {Replicate{}}});
  recorder.note(Event{});
  recorder.note(Event{});
  recordValue(recorder, valueOf<float>(id, 0, {4}, {1, 2, 3, 0}));
  const auto kept = journal.value(id, 0, 2);
  return kept.value_or(ValueRecord{});
}

TEST(Recorder, AValueThatAnotherRankHoldsTooIsKeptOnce) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setCapture(Capture(
      {{.level = CaptureLevel::All}, {.level = CaptureLevel::Statistics, .ranks = {{2, 2}}}}));
  const TensorId id = recorder.addTensor("w", {DType::Float32, {2}, {Replicate{}}});
  recorder.note(Event{});
  EXPECT_FALSE(recorder.valueAgain(1));
  recordValue(recorder, valueOf<float>(id, 0, {2}, {1, 3}));
  EXPECT_TRUE(recorder.valueAgain(1));
  EXPECT_FALSE(recorder.valueAgain(2));
  EXPECT_EQ(journal.value(id, 0, 1)->data, journal.value(id, 1, 1)->data);
  EXPECT_EQ(journal.value(id, 1, 1)->statistics, (Statistics{1, 3, 2, 0, 0}));
  EXPECT_FALSE(journal.value(id, 2, 1));
}

TEST(Recorder, NumbersTheCollectivesOfEachGroup) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  for (const char* axis : {"dp", "tp", "dp", ""}) {
    recorder.note(makeCollective(recorder, "all_reduce", "0-3", 0, 8, {.axis = axis}));
  }
  const auto groupOf = [&](EventId id) {
    return std::pair(std::string(journal.text(journal.at(id).group)), journal.at(id).sequence);
  };
  EXPECT_EQ(groupOf(1), std::pair(std::string("dp"), 1U));
  EXPECT_EQ(groupOf(2), std::pair(std::string("tp"), 1U));
  EXPECT_EQ(groupOf(3), std::pair(std::string("dp"), 2U));
  EXPECT_EQ(groupOf(4), std::pair(std::string("0-3"), 1U));
}

TEST(Recorder, EventsHaveTheirSourceSite) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setDevice("cuda:1");
  recorder.note(Event{});
  recorder.setSite({.module = "layers.3", .pass = "backward"});
  recorder.note(Event{});
  recorder.setSite({});
  recorder.note(Event{});
  EXPECT_EQ(journal.text(journal.at(1).device), "cuda:1");
  EXPECT_EQ(readSite(journal.text(journal.at(1).site)), SiteRecord());
  EXPECT_EQ(readSite(journal.text(journal.at(2).site)),
            (SiteRecord{.module = "layers.3", .pass = "backward"}));
  EXPECT_EQ(journal.at(3).site, 0U);
}

TEST(Recorder, KeepsValuesAtTheLevelOfTheCapture) {
  const Statistics statistics{0, 3, 1.5, 0, 1};
  const ValueRecord whole = captured(CaptureLevel::All, 16);
  EXPECT_EQ(whole.event, 2U);
  EXPECT_EQ(whole.data->size(), 16U);
  EXPECT_EQ(whole.statistics, statistics);
  for (const auto& part :
       {captured(CaptureLevel::Statistics, 16), captured(CaptureLevel::All, 15)}) {
    EXPECT_EQ(part.level, CaptureLevel::Statistics);
    EXPECT_EQ(part.data, nullptr);
    EXPECT_EQ(part.statistics, statistics);
  }
  EXPECT_EQ(captured(CaptureLevel::None, 16).tensor, 0U);
}

TEST(Recorder, AFunctionThatThrowsIsCalledBeforeTheNextEventToo) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  int calls = 0;
  recorder.onUnscopedEvent([&] {
    if (++calls == 1) throw std::runtime_error("no memory");
  });
  EXPECT_THROW(recorder.note({.kind = EventKind::Compute}), std::runtime_error);
  recorder.note({.kind = EventKind::Compute});
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace shardlens
