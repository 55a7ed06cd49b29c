#include "core/view/tables/decisions.h"

#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/cache_lookup.h"
#include "tests/view/lookup_run.h"

#include <gtest/gtest.h>

namespace shardlens::view {
namespace {

TEST(CacheLookup, IsOfTheCallItIsIn) {
  Journal journal;
  recordLookup(journal);
  const EventId miss = LookupRun::find(journal, EventKind::CacheLookup);
  EXPECT_TRUE(isOfCurrentCall(journal, miss, miss));
  EXPECT_FALSE(isOfCurrentCall(journal, miss, journal.size()));
}

TEST(CacheLookup, ExplainsAMissByTheNearestEntry) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto lookUp = [&](EventId nearest, std::vector<LookupField> fields) {
    recorder.note(makeLookup(recorder, CacheTable::Strategy,
                             {.entries = 5, .entry = nearest, .kept = true},
                             LookupRecord{.fields = std::move(fields)}));
    return cacheLookupAt(journal, journal.size());
  };
  const auto first = lookUp(0, {{"op", "embedding"}, {"weight", "[10, 5]"}});
  EXPECT_EQ(first.nearest, "");
  EXPECT_TRUE(first.differs.empty());
  const auto second = lookUp(1, {{"op", "embedding"}, {"weight", "[10, 3]"}});
  EXPECT_EQ(second.table, "strategy");
  EXPECT_EQ(second.verdict, Verdict::Miss);
  EXPECT_EQ(second.entries, 5);
  EXPECT_EQ(second.key, "embedding, [10, 3]");
  EXPECT_EQ(second.nearest, "embedding, [10, 5]");
  EXPECT_EQ(second.differs, (std::vector<KeyDifference>{{"weight", "[10, 3]", "[10, 5]"}}));
  EXPECT_TRUE(lookUp(1, {{"op", "embedding"}}).differs.empty());
}

TEST(CacheLookup, OfAHitShowsTheKeyOfItsEntry) {
  Journal journal;
  recordPlan(journal);
  const auto lookup = cacheLookupAt(journal, LookupRun::find(journal, EventKind::CacheLookup, 1));
  EXPECT_EQ(lookup.verdict, Verdict::Hit);
  EXPECT_EQ(lookup.key, "f32[8, 4](S(0), S(0)), (R, S(0))");
  EXPECT_EQ(lookup.uses, 1);
  EXPECT_EQ(lookup.age, 1U);
  EXPECT_EQ(lookup.nearest, "");
}

// Records events 1 to 3: an operator that misses the cache; 4 to 6: one that hits its entry; 7: an
// event after both.
void recordHit(Journal& journal, Recorder& recorder) {
  recorder.addSink(journal);
  const CandidatesRecord chosen{{{"row-wise", {"R"}, {"S(0)"}, 0, 0, true}}};
  {
    const Span first(recorder, makeOperator(recorder, "aten.first"));
    recorder.note(makeLookup(recorder, CacheTable::Strategy, {.kept = true}, std::nullopt));
    recorder.note(makeCandidates(recorder, "row-wise", 1, 0, chosen));
  }
  {
    const Span again(recorder, makeOperator(recorder, "aten.again"));
    recorder.note(makeLookup(recorder, CacheTable::Strategy, {.verdict = Verdict::Hit, .entry = 2},
                             std::nullopt));
    recorder.note(makeCompute(recorder, "local aten.again"));
  }
  recorder.note(makeStep(recorder, "over"));
}

TEST(Decisions, OfAHitAreThoseItsEntryWasMadeFrom) {
  Journal journal;
  Recorder recorder;
  recordHit(journal, recorder);
  const auto decision = [&](EventId position) { return strategyDecision(journal, position); };
  for (const EventId inside : {EventId{5}, EventId{6}}) {
    EXPECT_EQ(decision(inside).event, 3U);
    EXPECT_EQ(decision(inside).subject, 4U);
    EXPECT_EQ(decision(inside).lookup, 5U);
    EXPECT_TRUE(decision(inside).isCurrent);
  }
  EXPECT_FALSE(decision(4).isCurrent);  // before its lookup
  EXPECT_EQ(decision(4).subject, 1U);
  EXPECT_FALSE(decision(7).isCurrent);
  EXPECT_EQ(decision(7).when(), 5U);
  EXPECT_EQ(decision(1).subject, 0U);
}

// An operator may contain millions of events without a decision, so the search starts from the
// latest decision in the snapshot.
TEST(Decisions, AreLookedForFromTheNewestThatASnapshotKnows) {
  Journal journal;
  Recorder recorder;
  recordHit(journal, recorder);
  StateIndex states(journal);
  for (EventId position = 1; position <= journal.size(); ++position) {
    const Decision known = strategyDecision(journal, position, states.at(position).strategyDecided);
    const Decision found = strategyDecision(journal, position);
    EXPECT_EQ(known.event, found.event) << position;
    EXPECT_EQ(known.subject, found.subject) << position;
    EXPECT_EQ(known.isCurrent, found.isCurrent) << position;
  }
  EXPECT_FALSE(strategyDecision(journal, 6, 3).isCurrent);
}

}  // namespace
}  // namespace shardlens::view
