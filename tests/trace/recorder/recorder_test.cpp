#include "core/trace/recorder/recorder.h"

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>
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
  EXPECT_EQ(recorder.addTensor("w", Spec()), 0U);
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

TEST(Recorder, EmitsLateDurationsOnceTheyAreKnown) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setClock([now = 0]() mutable { return now += 10; });
  bool isKnown = false;
  const auto late = [&](std::int64_t duration) {
    Span span(recorder, Event{});
    span.measuredBy([&isKnown, duration](Recorder::Wait wait) {
      if (duration < 0) throw std::runtime_error("the GPU has failed");
      const bool isRead = isKnown || wait == Recorder::Wait::Yes;
      return isRead ? Recorder::Took(duration) : std::nullopt;
    });
  };
  late(7);
  late(-1);
  const Span next(recorder, Event{});
  EXPECT_EQ(journal.at(3).parent, 0U) << "a late span is closed";
  recorder.readDurations(Recorder::Wait::No);
  EXPECT_EQ(journal.at(1).duration, Event::kRunning);
  EXPECT_EQ(journal.at(2).duration, Event::kRunning) << "in order";
  isKnown = true;
  recorder.readDurations(Recorder::Wait::No);
  EXPECT_EQ(journal.at(1).duration, 7);
  EXPECT_EQ(journal.at(2).duration, 10) << "the elapsed time, if the clock fails";
  isKnown = false;
  late(8);
  recorder.removeSinks();
  EXPECT_EQ(journal.at(4).duration, 8) << "the end of a recording waits";
}

TEST(Recorder, ReadsLateDurationsBeforeTheyAreMany) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  std::set<int> waitedFor;
  for (int i = 0; i < 5000; ++i) {
    Span span(recorder, Event{});
    span.measuredBy([&waitedFor, i](Recorder::Wait wait) {
      if (wait == Recorder::Wait::Yes) waitedFor.insert(i);
      const bool isRead = wait == Recorder::Wait::Yes || i < 100;
      return isRead ? Recorder::Took(i) : std::nullopt;
    });
  }
  EXPECT_EQ(journal.at(100).duration, 99);
  EXPECT_EQ(journal.at(101).duration, 100) << "the oldest of more than 4096";
  EXPECT_EQ(*waitedFor.begin(), 100);
  EXPECT_EQ(journal.at(5000).duration, Event::kRunning);
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
  using enum CollectiveKind;
  for (const auto kind : {AllGather, Scatter, AllGather}) {
    ++recorder.collectives(kind).count;
  }
  recorder.setStep(1, 2);
  ++recorder.collectives(AllGather).count;
  std::string counts;
  for (const auto& each : recorder.collectives()) {
    counts += fmt::format("{} {} {}; ", each.step, collectiveName(each.kind), each.count);
  }
  EXPECT_EQ(counts, "0 all_gather 2; 0 scatter 1; 1 all_gather 1; ");
}

TEST(Recorder, InternsRoutesOnce) {
  Recorder recorder;
  const Placements from{Shard{0}}, to{Replicate{}};
  EXPECT_EQ(recorder.intern(PlacementChange{from, to}), 0U);
  Journal journal;
  recorder.addSink(journal);
  EXPECT_EQ(recorder.intern(PlacementChange{from, to}), 1U);
  EXPECT_EQ(recorder.intern(Route{from, to}), 1U);
  EXPECT_EQ(recorder.intern(Route{from, to, from}), 2U);
  EXPECT_EQ(journal.route(1), (Route{from, to}));
  EXPECT_EQ(journal.routeText(2), "S(0) -> R -> S(0)");
}

TEST(Recorder, ADetachedSpanEndsInAnyOrderAndHoldsNoLaterEvent) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setClock([now = 0]() mutable { return now += 10; });
  const EventId first = recorder.begin(named(recorder, "first"));  // at 10
  recorder.begin(named(recorder, "inside"));
  recorder.detach(first);
  EXPECT_EQ(journal.at(2).duration, 10) << "ends with the call";
  const EventId second = recorder.begin(named(recorder, "second"));  // at 40
  recorder.detach(second);
  recorder.note(named(recorder, "later"));
  EXPECT_EQ(journal.at(4).parent, 0U);
  EXPECT_EQ(journal.at(first).duration, Event::kRunning);
  recorder.complete(first, 25);
  EXPECT_EQ(journal.at(first).exposed, 25);
  EXPECT_GT(journal.at(first).duration, 25);
  recorder.complete(second, 1000, std::chrono::nanoseconds(70));
  EXPECT_EQ(journal.at(second).duration, 70);
  EXPECT_EQ(journal.at(second).exposed, 70) << "no longer than the collective";
  recorder.complete(second, 5);
  EXPECT_THROW(recorder.detach(second), CheckFailed);
}

class Failing final : public EventSink {
 public:
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const Spec&) override {}
  void onRoute(RouteId, const Route&) override {}
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
  recorder.addTensor("w", {DType::Float32, {4}, {Shard{0}}, shared(whole)});
  recorder.addTensor("u", {DType::Float32, {4}, {Shard{0}}, shared(some)});
  EXPECT_FALSE(journal.tensor(1).mesh);
  EXPECT_EQ(*journal.tensor(2).mesh, some);
}

TEST(Recorder, SpecsThatDifferInStridesAloneHaveOneId) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  const auto mesh = shared(DeviceMesh::make({4}, {"tp"}).value());
  const SpecId rows = recorder.intern(Spec(mesh, {Shard{0}}, {{4, 2}, {2, 1}, DType::Float32}));
  const SpecId columns = recorder.intern(Spec(mesh, {Shard{0}}, {{4, 2}, {1, 4}, DType::Float32}));
  EXPECT_EQ(rows, columns);
  EXPECT_NE(rows, recorder.intern(Spec(mesh, {Shard{1}}, {{4, 2}, {2, 1}, DType::Float32})));
  EXPECT_EQ(journal.spec(rows), Spec(DType::Float32, {4, 2}, {Shard{0}}, mesh));
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
    recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0-3", 0, 8, {.axis = axis}));
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
  EXPECT_EQ(captured(CaptureLevel::Statistics, 15).level, CaptureLevel::Statistics);
  for (const auto& part : {captured(CaptureLevel::Hashes, 16), captured(CaptureLevel::All, 15)}) {
    EXPECT_EQ(part.level, CaptureLevel::Hashes);
    EXPECT_NE(part.hash, 0U);
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
