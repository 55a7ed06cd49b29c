#include "tests/trace/sample_run.h"

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/named_event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace shardlens {

namespace {

Event event(EventKind kind, StringId name = 0, StringId detail = 0) {
  Event made;
  made.kind = kind;
  made.name = name;
  made.detail = detail;
  return made;
}

EventId miss(Recorder& recorder, const char* table, const std::string& key) {
  return recorder.note(makeLookup(recorder, parseCache(table), {.kept = true},
                                  LookupRecord{.fields = {{"question", key}}}));
}

void hit(Recorder& recorder, const char* table, EventId entry) {
  recorder.note(makeLookup(recorder, parseCache(table), {.verdict = Verdict::Hit, .entry = entry},
                           std::nullopt));
}

EventId mask(Recorder& recorder, int count, const MaskEvent& what) {
  return recorder.note(
      makeMaskEvent(recorder, MaskPartial{ReduceOp::Sum, {10, 3}, 0}, 1, count, what));
}

void result(Recorder& recorder, const char* name, TensorId tensor, TensorId mask = 0,
            EventId hold = 0) {
  recorder.note(makeResult(recorder, name, tensor, 0, mask, hold));
}

const Placement kPending = MaskPartial{ReduceOp::Sum, {10, 3}, 0};

void recordTable(Recorder& recorder) {
  recorder.setStep(0, 4);
  const Span step(recorder, event(EventKind::Step, recorder.intern("w = tensor(...)")));
  const TensorId table = recorder.addTensor("w", {DType::Float32, {10, 3}, {Shard{0}}});
  result(recorder, "w", table, 0);
  recordValue(recorder, valueOf<float>(table, 0, {1, 3}, {0.5F, 1, 2}));
  recordValue(recorder, valueOf<float>(table, 1, {1, 3}, {3, 4, 5}));
}

struct LookUp {
  EventId entry;
  EventId hold;
};

// Records a lookup that hits the entry of the miss `entry`; 0: the lookup misses.
LookUp recordLookUp(Recorder& recorder, const char* name, TensorId bits, EventId entry) {
  const int count = entry == 0 ? 1 : 2;
  const TensorId table = 1;
  const Span op(recorder, event(EventKind::Operator, recorder.intern("aten.embedding")),
                {&table, 1});
  EventId made = 0;
  if (entry == 0) {
    made = miss(recorder, "strategy", "aten.embedding f32[10, 3](S(0)) i64[4](R)");
  } else {
    hit(recorder, "strategy", entry);
  }
  const EventId hold = mask(recorder, count, {.related = bits, .holder = name});
  if (count == 1) recordValue(recorder, valueOf<std::uint8_t>(bits, 0, {4}, {0, 1, 1, 0}));
  const TensorId rows = recorder.addTensor(name, {DType::Float32, {4, 3}, {kPending}});
  result(recorder, name, rows, bits, hold);
  return {made, hold};
}

void recordReduction(Recorder& recorder, TensorId pending, EventId hold) {
  recorder.note(makeLookup(recorder, CacheTable::Plan, {.verdict = Verdict::Off},
                           LookupRecord{.fields = {{"to", "MaskP(sum, [10, 3], 0) -> R"}}}));
  Event move = namedEvent(recorder, EventKind::Collective, "all_reduce");
  move.ranks = recorder.intern("0,1");
  move.meshDim = 0;
  move.bytes = 96;
  const Span span(recorder, move);
  mask(recorder, 0, {.kind = EventKind::MaskApplied, .related = pending});
  recordValue(recorder, valueOf<float>(pending, 0, {4, 3}, std::vector<float>(12, 0.25F)));
  mask(recorder, 1, {.kind = EventKind::MaskReleased, .related = hold});
}

void recordResult(Journal& journal, TensorId tensor, Shape shape,
                  const std::vector<std::uint8_t>& elements) {
  Event event;
  event.kind = EventKind::Result;
  event.subject = tensor;
  const EventId id = journal.size() + 1;
  journal.onEvent(id, event);
  ValueRecord value = valueOf(tensor, 0, std::move(shape), elements);
  value.event = id;
  journal.onValue(value);
}

}  // namespace

void recordSample(Recorder& recorder) {
  recorder.meta("mesh", "2:tp");
  recorder.meta("masking", "stepwise");
  recordTable(recorder);
  LookUp y{};
  LookUp z{};
  const TensorId bits = recorder.addTensor("mask of y", {DType::Bool, {4}, {}});
  {
    recorder.setStep(1, 5);
    const Span step(recorder, event(EventKind::Step, recorder.intern("y = embedding(w, x)")));
    y = recordLookUp(recorder, "y", bits, 0);
  }
  {
    recorder.setStep(2, 6);
    const Span step(recorder, event(EventKind::Step, recorder.intern("z = embedding(w, x)")));
    z = recordLookUp(recorder, "z", bits, y.entry);
  }
  recorder.setStep(3, 7);
  const Span step(recorder, event(EventKind::Step, recorder.intern("redistribute(y, R)")));
  recordReduction(recorder, 3, y.hold);
  recorder.note(event(EventKind::Error, recorder.intern("z: buffer has been materialized")));
  mask(recorder, 0, {.kind = EventKind::MaskReleased, .related = z.hold});
}

void recordLong(Recorder& recorder, int operators) {
  recorder.setStep(0, 1);
  const Span step(recorder, event(EventKind::Step, recorder.intern("all of it")));
  std::vector<EventId> entries;
  std::vector<TensorId> inputs;
  for (int i = 0; i < operators; ++i) {
    const Span op(recorder, event(EventKind::Operator, recorder.intern("aten.add")), inputs);
    if (i < 97) {
      entries.push_back(miss(recorder, "strategy", "add " + std::to_string(i)));
    } else {
      hit(recorder, "strategy", entries[static_cast<std::size_t>(i) % 97]);
    }
    const std::string name = "t" + std::to_string(i);
    const TensorId made = recorder.addTensor(name, {DType::Int64, {1}, {Replicate{}}});
    result(recorder, name.c_str(), made, 0);
    inputs.assign(static_cast<std::size_t>(i % 3), made);
    recordValue(recorder, valueOf<std::int64_t>(made, i % 2, {1}, {i}));
  }
}

void recordRandom(Recorder& recorder, unsigned seed, int events) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
  constexpr std::array kKinds = {EventKind::CacheLookup, EventKind::CacheEvicted,
                                 EventKind::Collective,  EventKind::MaskMaterialized,
                                 EventKind::MaskApplied, EventKind::MaskReleased,
                                 EventKind::Result,      EventKind::Result,
                                 EventKind::Candidates,  EventKind::Plan,
                                 EventKind::Error,       EventKind::Compute};
  for (const char* name : {"x", "y", "y", "z", "x", "u"}) {
    recorder.addTensor(name, {DType::Float32, {4}, {Replicate{}}});
  }
  std::vector<EventId> misses;
  std::vector<EventId> holds;
  // Returns one of the last holds, which may have ended; 0 if there was none.
  const auto anyHold = [&] {
    return holds.empty() ? 0
                         : holds[holds.size() - 1 - below(std::min<std::size_t>(holds.size(), 5))];
  };
  for (int i = 0; i < events; ++i) {
    recorder.setStep(i / 50, i / 50 + 1);
    Event made =
        namedEvent(recorder, kKinds[below(kKinds.size())], below(2) == 0 ? "strategy" : "plan");
    made.count = static_cast<std::int32_t>(below(3));
    made.bytes = below(40) == 0 ? std::int64_t{1} << 62 : below(100);
    if (isOfCache(made.kind)) {
      made.verdict = below(3) == 0 ? Verdict::Miss : below(9) == 0 ? Verdict::Off : Verdict::Hit;
      made.subject = misses.empty() ? 0 : misses[below(misses.size())];
    } else if (isOfMask(made.kind)) {
      made.subject = 1 + below(4);
      made.related = 1 + below(6);
      constexpr std::array kHolders = {R"({"holder":"x"})", R"({"holder":"y"})", ""};
      made.detail = recorder.intern(kHolders[below(kHolders.size())]);
      if (made.kind == EventKind::MaskReleased) made.related = anyHold();
    } else if (made.kind == EventKind::Result) {
      made.subject = 1 + below(6);
      made.related = below(3) == 0 ? 0 : 1 + below(6);
      made.count = static_cast<std::int32_t>(anyHold());
    }
    const EventId id = recorder.note(made);
    if (made.kind == EventKind::MaskMaterialized) holds.push_back(id);
    if (made.kind == EventKind::CacheLookup && made.verdict == Verdict::Miss) misses.push_back(id);
  }
}

void recordLongShard(Journal& journal) {
  addTensor(journal, "w", {DType::UInt8, {100}, {Replicate{}}});
  recordResult(journal, 1, {100}, std::vector<std::uint8_t>(100, 7));
}

void recordHostedPart(Journal& journal) {
  journal.onMeta("mesh", "4:tp");
  journal.onMeta("hosted", "0,1");
  addTensor(journal, "w", {DType::UInt8, {4}, {Shard{0}}});
  addTensor(journal, "u",
            {DType::UInt8, {2}, {Shard{0}}, shared(DeviceMesh::make({2}, {"pp"}, {0, 3}).value())});
  recordResult(journal, 1, {1}, {7});
  recordResult(journal, 2, {1}, {7});
}

void addTensor(Journal& journal, const char* name, const Spec& spec) {
  journal.onString(journal.strings() + 1, name);
  journal.onSpec(journal.specs() + 1, spec);
  journal.onTensor(journal.tensors() + 1, journal.strings(), journal.specs());
}

void expectSame(const Journal& left, const Journal& right) {
  ASSERT_EQ(left.size(), right.size());
  ASSERT_EQ(left.strings(), right.strings());
  EXPECT_EQ(left.meta("mesh"), right.meta("mesh"));
  ASSERT_EQ(left.specs(), right.specs());
  for (SpecId id = 1; id <= left.specs(); ++id) ASSERT_EQ(left.spec(id), right.spec(id));
  ASSERT_EQ(left.tensors(), right.tensors());
  for (EventId id = 1; id <= left.size(); ++id) {
    ASSERT_EQ(left.at(id), right.at(id)) << "event " << id;
  }
  for (StringId id = 0; id <= left.strings(); ++id) ASSERT_EQ(left.text(id), right.text(id));
  for (TensorId id = 1; id <= left.tensors(); ++id) {
    ASSERT_EQ(left.nameOf(id), right.nameOf(id));
    ASSERT_EQ(left.specOf(id), right.specOf(id));
    ASSERT_EQ(left.ranksOf(id), right.ranksOf(id));
    for (const int rank : left.ranksOf(id)) {
      const auto one = left.value(id, rank, left.size());
      const auto other = right.value(id, rank, right.size());
      EXPECT_EQ(one->event, other->event);
      EXPECT_EQ(one->shape, other->shape);
      EXPECT_EQ(one->statistics, other->statistics);
      EXPECT_EQ(one->level, other->level);
      const auto mine = left.elements(*one);
      const auto others = right.elements(*other);
      ASSERT_EQ(mine == nullptr, others == nullptr);
      if (mine != nullptr) {
        EXPECT_EQ(*mine, *others);
      }
    }
  }
  StateIndex leftStates(left);
  StateIndex rightStates(right);
  for (EventId position = 0; position <= left.size(); ++position) {
    ASSERT_EQ(leftStates.at(position), rightStates.at(position)) << "position " << position;
  }
}

}  // namespace shardlens
