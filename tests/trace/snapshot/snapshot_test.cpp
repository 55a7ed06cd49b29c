#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/cache_key.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/sample_run.h"
#include "tests/trace/state_fold.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

class SampleSnapshot : public ::testing::Test {
 protected:
  SampleSnapshot() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recordSample(recorder_);
  }

  Recorder recorder_;
  Journal journal_;
  StateIndex states_{journal_};
};

TEST_F(SampleSnapshot, BeginsEmptyAndEndsAtTheLastEvent) {
  EXPECT_EQ(states_.at(0), Snapshot{});
  EXPECT_EQ(journal_.size(), 19U);
  EXPECT_EQ(states_.at(1000).position, 19U);
}

TEST_F(SampleSnapshot, ReportsThePosition) {
  const Snapshot& snapshot = states_.at(16);
  EXPECT_EQ(snapshot.step, 3);
  EXPECT_EQ(snapshot.line, 7);
  EXPECT_EQ(snapshot.open, (std::vector<EventId>{13, 15}));
  EXPECT_EQ(states_.at(13).open, std::vector<EventId>{});
}

TEST_F(SampleSnapshot, TensorsAreBornAndHoldTheirBuffer) {
  EXPECT_EQ(states_.at(6).tensors, (std::vector<TensorState>{{1, 2, 2}}));
  EXPECT_EQ(states_.at(12).tensors,
            (std::vector<TensorState>{{1, 2, 2}, {3, 7, 7, 2, 6, 1}, {4, 12, 12, 2, 11, 1}}));
  EXPECT_EQ(*states_.at(16).tensor(3), (TensorState{3, 7, 16, 2, 6, 1}));
  EXPECT_EQ(*states_.at(17).tensor(3), (TensorState{3, 7, 16, 2, 0}));
  EXPECT_EQ(*states_.at(17).tensor(4), (TensorState{4, 12, 12, 2, 11, 1}));
  EXPECT_EQ(states_.at(17).tensor(2), std::nullopt);
}

TEST_F(SampleSnapshot, BuffersCountTheirHolders) {
  EXPECT_TRUE(states_.at(5).buffers.empty());
  EXPECT_EQ(*states_.at(7).buffer(1), (BufferState{1, 1, 2, {"y"}, {3}, 6}));
  EXPECT_EQ(*states_.at(12).buffer(1), (BufferState{1, 2, 2, {"y", "z"}, {3, 4}, 11}));
  EXPECT_EQ(*states_.at(17).buffer(1), (BufferState{1, 1, 2, {"z"}, {4}, 17}));
  EXPECT_EQ(*states_.at(19).buffer(1), (BufferState{1, 0, 2, {}, {}, 19}));
  EXPECT_EQ(states_.at(19).tensor(4)->buffer, 0U);
}

TEST(Snapshot, ATensorThatComesLaterIsAHolderToo) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  const TensorId bits = recorder.addTensor("mask", {DType::Bool, {4}, {}});
  Event event;
  event.kind = EventKind::MaskMaterialized;
  event.detail = recorder.intern(R"({"holder":"x'"})");
  event.subject = 1;
  event.related = bits;
  event.count = 1;
  const EventId hold = recorder.note(event);
  for (const char* name : {"x'", "y"}) {
    Event result;
    result.kind = EventKind::Result;
    result.subject = recorder.addTensor(name, {DType::Float32, {4}, {}});
    result.related = bits;
    result.count = static_cast<std::int32_t>(hold);
    recorder.note(result);
  }
  StateIndex states(journal);
  EXPECT_EQ(*states.at(3).buffer(1), (BufferState{1, 1, bits, {"x'", "y"}, {2, 3}, 1}));
}

TEST_F(SampleSnapshot, CachesCountHitsAndMisses) {
  EXPECT_EQ(states_.at(5).strategyCache, (CacheState{0, 1, std::vector<CacheEntry>{{5, 0, 5}}}));
  EXPECT_EQ(states_.at(19).strategyCache, (CacheState{1, 1, std::vector<CacheEntry>{{5, 1, 10}}}));
  EXPECT_EQ(cacheKey(journal_, 5), "aten.embedding f32[10, 3](S(0)) i64[4](R)");
  EXPECT_EQ(states_.at(19).planCache, (CacheState{0, 1, std::vector<CacheEntry>{}}));
}

TEST_F(SampleSnapshot, KeepsBytesAndTheError) {
  EXPECT_EQ(states_.at(14).bytesMoved, 0);
  EXPECT_EQ(states_.at(15).bytesMoved, 96);
  EXPECT_EQ(states_.at(17).error, "");
  EXPECT_EQ(states_.at(17).newestError, 0U);
  EXPECT_EQ(states_.at(19).error, "z: buffer has been materialized");
  EXPECT_EQ(journal_.at(states_.at(19).newestError).kind, EventKind::Error);
}

TEST(Snapshot, ACacheHasTheEntriesOfItsMissesThatWereNotEvicted) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  const auto miss = [&](bool kept) {
    return recorder.note(makeLookup(recorder, "strategy", {.kept = kept}, std::nullopt));
  };
  const auto hit = [&](EventId entry) {
    recorder.note(
        makeLookup(recorder, "strategy", {.verdict = Verdict::Hit, .entry = entry}, std::nullopt));
  };
  const EventId a = miss(true);
  const EventId b = miss(true);
  hit(a);
  miss(false);
  const EventId c = miss(true);
  recorder.note(makeEviction(recorder, "strategy", b));
  hit(c);
  const EventId again = miss(true);
  recorder.note(makeEviction(recorder, "strategy", a));
  hit(a);  // a hit of an evicted entry counts, too
  StateIndex states(journal);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(states.at(10).strategyCache,
              (CacheState{3, 5, std::vector<CacheEntry>{{c, 1, 7}, {again, 0, 8}}}));
    EXPECT_EQ(states.at(4).strategyCache,
              (CacheState{1, 3, std::vector<CacheEntry>{{a, 1, 3}, {b, 0, 2}}}));
    EXPECT_EQ(states.at(5).strategyCache,
              (CacheState{1, 4, std::vector<CacheEntry>{{a, 1, 3}, {b, 0, 2}, {c, 0, 5}}}));
    EXPECT_EQ(states.at(7).strategyCache,
              (CacheState{2, 4, std::vector<CacheEntry>{{a, 1, 3}, {c, 1, 7}}}));
  }
}

TEST(Snapshot, DetailThatIsNotJsonChangesNoMoreThanCounts) {
  Journal journal;
  journal.onString(1, "plan");
  journal.onString(2, "{broken");
  for (const auto kind : {EventKind::CacheLookup, EventKind::MaskMaterialized}) {
    Event event;
    event.kind = kind;
    event.name = 1;
    event.detail = 2;
    event.subject = 1;
    event.count = 1;
    event.verdict = Verdict::Miss;
    journal.onEvent(journal.size() + 1, event);
  }
  StateIndex states(journal);
  EXPECT_EQ(states.at(2).planCache.misses, 1);
  EXPECT_TRUE(states.at(2).buffer(1)->holders.empty());
}

// Returns the events of a mask buffer, without applications before the first other event.
std::vector<EventId> maskEventsOf(const Journal& journal, BufferId buffer) {
  std::vector<EventId> events;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    const bool applies = event.kind == EventKind::MaskApplied && events.empty();
    if (isOfMask(event.kind) && event.subject == buffer && !applies) events.push_back(id);
  }
  return events;
}

// Expects the snapshots of StateIndex to equal those of StateFold at all positions: forwards, then
// backwards, then in random order.
void expectAsFolded(const Journal& journal) {
  std::vector<FoldedState> folded{{}};
  StateFold fold(journal);
  StateIndex states(journal);
  for (EventId position = 1; position <= journal.size(); ++position) {
    fold.applyNext();
    folded.push_back(fold.state());
    expectSame(states.at(position), folded.back());
  }
  for (EventId position = journal.size() + 1; position-- > 0;) {
    expectSame(states.at(position), folded[position]);
  }
  const auto histories = states.at(journal.size()).histories;
  for (const auto& buffer : folded.back().buffers) {
    std::vector<EventId> changes;
    for (const auto& [at, refcount] : histories->buffers.changesOf(buffer.id)) {
      changes.push_back(at);
      EXPECT_EQ(refcount, states.at(at).buffer(buffer.id)->refcount);
    }
    EXPECT_EQ(changes, maskEventsOf(journal, buffer.id));
  }
  StateIndex other(journal);
  for (EventId i = 0; i < 300; ++i) {
    const EventId position = i * 7919U % (journal.size() + 1);
    expectSame(other.at(position), folded[position]);
  }
}

TEST_F(SampleSnapshot, EqualsAFoldFromAnyPosition) { expectAsFolded(journal_); }

TEST(Snapshot, EqualsAFoldOverManyBlocks) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recordLong(recorder, 1500);
  expectAsFolded(journal);
}

// Random sequences of lookups, shared and released masks, evictions and errors.
TEST(Snapshot, EqualsAFoldOfRandomEvents) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Recorder recorder;
    Journal journal;
    recorder.addSink(journal);
    recordRandom(recorder, seed, 400);
    SCOPED_TRACE(seed);
    expectAsFolded(journal);
    if (HasFailure()) return;
  }
}

// The focus stays on that tensor for any number of events. Ids of unknown tensors are ignored.
TEST(Snapshot, IsAboutTheTensorThatWasReadMadeOrChangedLast) {
  constexpr EventId kFar = 50'000;
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  const auto add = [&](EventKind kind, TensorId subject, TensorId related = 0) {
    Event event;
    event.kind = kind;
    event.subject = subject;
    event.related = related;
    recorder.note(event);
  };
  for (int i = 0; i < 3; ++i) recorder.addTensor("t", {DType::Float32, {4}, {}});
  add(EventKind::Result, 1);
  add(EventKind::Result, 2);
  add(EventKind::Redistribute, 1);
  add(EventKind::Redistribute, 3);
  while (journal.size() < kFar) add(EventKind::Compute, 2);
  add(EventKind::MaskApplied, 1, 2);
  StateIndex states(journal);
  const auto focus = [&](EventId position) { return states.at(position).focus; };
  EXPECT_EQ(focus(0), 0U);
  EXPECT_EQ(focus(1), 1U);
  EXPECT_EQ(focus(2), 2U);
  EXPECT_EQ(focus(3), 1U);
  EXPECT_EQ(focus(4), 1U);
  EXPECT_EQ(focus(kFar), 1U);
  EXPECT_EQ(focus(kFar + 1), 2U);
}

TEST(Snapshot, FollowsAJournalThatGrows) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  StateIndex states(journal);
  EXPECT_EQ(states.at(5), Snapshot{});
  recordLong(recorder, 500);
  states.at(journal.size());
  recordLong(recorder, 500);
  StateIndex fresh(journal);
  EXPECT_EQ(states.at(journal.size()), fresh.at(journal.size()));
}

}  // namespace
}  // namespace shardlens
