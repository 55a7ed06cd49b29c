#include "core/query/language/event_filter.h"

#include "core/query/language/completer.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/site_record.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<EventId>;

// A journal with these events: 1 step, 2 operator, 3 lookup miss, 4 implicit redistribution, 5
// collective, 6 result; 7 step, 8 operator, 9 lookup hit, 10 mask, 11 NaN result, 12 error.
class EventFilterTest : public ::testing::Test {
 protected:
  EventFilterTest() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::Statistics);
    recorder_.setClock([this] { return now_ += 100; });
    recorder_.meta("mesh", "2x2:dp,tp");
    recorder_.setRanks("0-3");
    w_ = recorder_.addTensor("w", {DType::BFloat16, {8, 4}, {Replicate{}, Shard{0}}});
    recorder_.setStep(0, 3);
    recorder_.setSite({.file = "train.py", .module = "layers.3.mlp", .pass = "forward"});
    {
      const Span step(recorder_, makeStep(recorder_, "y = mm(w, w)"));
      const TensorId inputs[] = {w_, w_};
      const Span op(recorder_, makeOperator(recorder_, "aten.mm"), inputs);
      miss_ = recorder_.note(
          makeLookup(recorder_, CacheTable::Strategy, {.kept = true}, LookupRecord{}));
      {
        const Span move(recorder_, makeRedistribute(routeIn(recorder_, "(R, S(0)) -> (R, R)"), w_,
                                                    Verdict::Implicit));
        Span send(recorder_, makeCollective(recorder_, CollectiveKind::AllGather, "0,1|2,3", 1,
                                            2000000, {.axis = "tp"}));
        send.took(std::chrono::microseconds(1500));
      }
      const TensorId y =
          recorder_.addTensor("y", {DType::Float32, {8, 4}, {Shard{1}, Replicate{}}});
      recorder_.note(makeResult(recorder_, "y", y, 128, 0));
    }
    recorder_.setStep(1, 4);
    recorder_.setSite({});
    recorder_.begin(makeStep(recorder_, "z = embedding(w, x)"));
    recorder_.begin(makeOperator(recorder_, "aten.embedding"));
    recorder_.note(makeLookup(recorder_, CacheTable::Strategy,
                              {.verdict = Verdict::Hit, .entry = miss_}, std::nullopt));
    const MaskPartial pending{ReduceOp::Sum, {10, 3}, 0};
    recorder_.note(makeMaskEvent(recorder_, pending, 5, 0, {.kind = EventKind::MaskReleased}));
    const TensorId z = recorder_.addTensor("z", {DType::Float32, {2}, {pending, pending}});
    recorder_.note(makeResult(recorder_, "z", z, 16, 0));
    recordValue(recorder_, valueOf<float>(z, 2, {2}, {1, std::nanf("")}));
    recorder_.setRanks("3");
    recorder_.note(makeError(recorder_, "refused"));
  }

  Ids found(std::string_view text) {
    const auto query = parseQuery(text);
    EXPECT_TRUE(query) << text;
    const EventFilter filter(journal_, query.value_or(Query()));
    Ids forward, back;
    for (EventId id = 0; (id = filter.next(id)) != 0;) forward.push_back(id);
    for (EventId id = ~EventId{0}; (id = filter.previous(id)) != 0;) back.insert(back.begin(), id);
    EXPECT_EQ(forward, back) << text;
    return forward;
  }

  std::int64_t now_ = 0;
  Recorder recorder_;
  Journal journal_;
  TensorId w_ = 0;
  EventId miss_ = 0;
};

TEST_F(EventFilterTest, OfOneField) {
  const std::vector<std::pair<const char*, Ids>> cases = {
      {"kind:collective", {5}},
      {"kind:cache,error", {3, 9, 12}},
      {"op:mm", {2, 3, 4, 5, 6}},
      {"op:EMBED", {8, 9, 10, 11, 12}},
      {"cache:miss", {3}},
      {"cache:hit", {9}},
      {"cache:strategy", {3, 9}},
      {"cache:plan", {}},
      {"axis:tp", {5}},
      {"axis:dp", {}},
      {"bytes>1.9MB", {4, 5}},  // the redistribution and its collective
      {"bytes>2MB", {}},
      {"bytes>=2MB", {4, 5}},
      {"bytes=128", {6}},
      {"time>1ms", {5}},
      {"time>=1500us", {5}},
      {"time<1500us kind:collective", {}},
      {"running", {7, 8}},
      {"rank:3", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
      {"rank:0-2", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {"rank:4", {}},
      {"step:2", {7, 8, 9, 10, 11, 12}},
      {"step<2", {1, 2, 3, 4, 5, 6}},
      {"line:3-3", {1, 2, 3, 4, 5, 6}},
      {"id:2,4-5", {2, 4, 5}},
      {"tensor:w", {2, 4}},
      {"tensor:W", {}},
      {"placement:S(1)", {6}},
      {"placement:S(0)", {2, 4}},
      {"placement:S", {2, 4, 6}},
      {"placement:MaskP", {11}},
      {"placement:MaskP(sum, [10, 3], 0)", {11}},
      {"placement:MaskP(sum, [10, 4], 0)", {}},
      {"dtype:bf16", {2, 4}},
      {"dtype:float32", {6, 11}},
      {"refcount:0", {10}},
      {"buffer:5", {10}},
      {"buffer:4", {}},
      {"group:tp", {5}},
      {"sequence:1", {5}},
      {"module:layers.3", {1, 2, 3, 4, 5, 6}},
      {"file:train.py pass:backward", {}},
      {"file:train.py pass:forward kind:step", {1}},
      {"name:gather", {5}},
      {"nan", {11}},
  };
  for (const auto& [text, ids] : cases) EXPECT_EQ(found(text), ids) << text;
}

// In a recording without a scenario, line numbers refer to the user's source.
TEST(EventFilterOfASite, ALineIsThatOfTheSourceUnlessTheScenarioHasOne) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setSite({.file = "train.py", .line = 12});
  recorder.note(makeCompute(recorder, "mm"));
  recorder.setSite({.file = "net.py", .line = 12});
  recorder.note(makeCompute(recorder, "add"));
  recorder.setStep(0, 3);
  recorder.note(makeCompute(recorder, "mul"));
  const auto found = [&](const char* text) {
    Ids ids;
    const auto query = parseQuery(text).value();
    const EventFilter filter(journal, query);
    for (EventId id = 0; (id = filter.next(id)) != 0;) ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(found("line:12"), (Ids{1, 2}));
  EXPECT_EQ(found("line:3"), (Ids{3}));
  EXPECT_EQ(found("file:train.py line:12"), (Ids{1}));
  EXPECT_EQ(found("file:train.py line:13"), (Ids{}));
}

// The threads of an imported program interleave their events.
TEST(EventFilter, BytesOfARedistributionAreThoseInsideItAlone) {
  Journal journal;
  journal.onMeta("imported", "chrome");
  const auto add = [&](EventKind kind, EventId parent, std::int64_t time, std::int64_t bytes) {
    Event event;
    event.kind = kind;
    event.parent = parent;
    event.time = time;
    event.duration = 100 - time;
    event.bytes = bytes;
    journal.onEvent(journal.size() + 1, event, {});
  };
  add(EventKind::Redistribute, 0, 0, 0);
  add(EventKind::Compute, 0, 10, 0);
  add(EventKind::Collective, 2, 20, 7);
  add(EventKind::Compute, 1, 30, 0);
  add(EventKind::Collective, 4, 40, 1000);
  add(EventKind::Collective, 0, 100, 7);
  const EventFilter filter(journal, parseQuery("kind:redistribute bytes=1000").value());
  EXPECT_EQ(filter.next(0), 1);
}

TEST_F(EventFilterTest, OfWords) {
  EXPECT_EQ(found("implicit"), (Ids{4}));
  EXPECT_EQ(found("Hit"), (Ids{9}));
  EXPECT_EQ(found("embedding"), (Ids{7, 8}));
  EXPECT_EQ(found("\"y = mm\""), (Ids{1}));
  EXPECT_EQ(found("bf16"), (Ids{2, 4}));
  EXPECT_EQ(found("s(1)"), (Ids{6}));
  EXPECT_EQ(found("error refused"), (Ids{12}));
}

TEST_F(EventFilterTest, AllTermsHold) {
  EXPECT_EQ(found("").size(), journal_.size());
  EXPECT_EQ(found("+op:mm -kind:operator,cache"), (Ids{4, 5, 6}));
  EXPECT_EQ(found("op:mm -op:mm"), Ids());
  EXPECT_EQ(found("step:1 implicit bytes>1KB"), (Ids{4}));
  EXPECT_EQ(found("implicit bytes>2MB"), Ids());
}

TEST_F(EventFilterTest, FollowsAJournalThatGrows) {
  const EventFilter filter(journal_, parseQuery("op:relu tensor:new").value());
  EXPECT_EQ(filter.next(0), 0U);
  const TensorId inputs[] = {recorder_.addTensor("new", {DType::Float32, {1}, {Replicate{}}})};
  const Span op(recorder_, makeOperator(recorder_, "aten.relu"), inputs);
  EXPECT_EQ(filter.next(0), 13U);
  EXPECT_TRUE(filter.matches(13));
}

// Two collectives without a detail, in different groups.
TEST(CompleterTest, KnowsTheAxesOfGroupsWithoutADimension) {
  Journal journal;
  journal.onMeta("mesh", "4:dp");
  journal.onString(1, "0,1");
  journal.onString(2, "0-3");
  for (const StringId ranks : {1, 2}) {
    Event event;
    event.kind = EventKind::Collective;
    event.ranks = ranks;
    journal.onEvent(journal.size() + 1, event, {});
  }
  Completer completer(journal);
  while (completer.look()) continue;
  EXPECT_THAT(completer.complete("axis:", 5), ElementsAre(Completion{"dp", "", 5}));
  EXPECT_EQ(EventFilter(journal, parseQuery("axis:dp").value()).next(0), 2U);
}

TEST_F(EventFilterTest, Completions) {
  Completer completer(journal_);
  while (completer.look(3)) {
  }
  const auto texts = [&](std::string_view text) {
    std::vector<std::string> all;
    for (const auto& completion : completer.complete(text, text.size())) {
      all.push_back(std::string(text.substr(0, completion.from)) + completion.text);
    }
    return all;
  };
  EXPECT_THAT(texts("implicit -b"), ElementsAre("implicit -buffer:", "implicit -bytes>"));
  EXPECT_THAT(texts("op:"), ElementsAre("op:aten.embedding", "op:aten.mm"));
  EXPECT_THAT(texts("op:aten.mm,aten.e"), ElementsAre("op:aten.mm,aten.embedding"));
  EXPECT_THAT(texts("cache:m"), ElementsAre("cache:miss"));
  EXPECT_THAT(texts("placement:S"), ElementsAre("placement:S(0)", "placement:S(1)"));
  EXPECT_THAT(texts("name:\"y"), ElementsAre("name:\"y = mm(w, w)\""));
  EXPECT_THAT(texts("module:"), ElementsAre("module:layers.3.mlp"));
  EXPECT_THAT(texts("colour:"), IsEmpty());
  EXPECT_THAT(texts("step:"), IsEmpty());
  EXPECT_EQ(completer.complete("kin", 3).front(), (Completion{"kind:", "kind of the event", 0}));
  // Every completion is a valid query and matches an event.
  for (const char* field :
       {"op:", "name:", "tensor:", "placement:", "dtype:", "axis:", "group:", "module:", "file:"}) {
    for (const auto& text : texts(field)) EXPECT_FALSE(found(text).empty()) << text;
  }
  EXPECT_THAT(texts(""), Contains("kind:"));
}

// In a completely read file, the filter skips blocks without the kind or step.
TEST(EventFilterOfAFile, FindsTheSameInBothDirections) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.shardlens";
  Journal recorded;
  {
    const auto writer = TraceWriter::create(path).value();
    Recorder recorder;
    recorder.addSink(recorded);
    recorder.addSink(*writer);
    for (int i = 0; i < 5000; ++i) {
      recorder.setStep(i / 700, 1);
      if (i == 4321) recorder.note(makeError(recorder, "refused"));
      recorder.note(i % 700 == 0 ? makeStep(recorder, "step") : makeCompute(recorder, "aten.mm"));
    }
    ASSERT_TRUE(writer->close());
  }
  const auto reader = TraceReader::open(path).value();
  const Journal& read = reader->journal();
  ASSERT_NE(read.summaryOf(1), nullptr);
  ASSERT_EQ(recorded.summaryOf(1), nullptr);
  for (const char* text :
       {"step:4", "step:1", "step:8", "step:10", "step:2-3,6", "step>6", "-step:4", "kind:error",
        "kind:step", "-kind:compute", "kind:error step:1", "kind:error step:7", "aten.mm step:3"}) {
    const auto query = parseQuery(text).value();
    const EventFilter ofRead(read, query);
    const EventFilter ofRecorded(recorded, query);
    const auto all = [](const EventFilter& filter) {
      Ids ids;
      for (EventId id = 0; (id = filter.next(id)) != 0;) ids.push_back(id);
      return ids;
    };
    const auto back = [&](const EventFilter& filter) {
      Ids ids;
      for (EventId id = recorded.size() + 1; (id = filter.previous(id)) != 0;) ids.push_back(id);
      return ids;
    };
    EXPECT_EQ(all(ofRead), all(ofRecorded)) << text;
    EXPECT_EQ(back(ofRead), back(ofRecorded)) << text;
    EXPECT_EQ(ofRead.next(2500), ofRecorded.next(2500)) << text;
    EXPECT_EQ(ofRead.previous(2500), ofRecorded.previous(2500)) << text;
  }
}

}  // namespace
}  // namespace shardlens
