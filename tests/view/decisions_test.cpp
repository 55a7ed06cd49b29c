#include "core/view/decisions.h"

#include "core/trace/journal/event_makers.h"
#include "core/view/cache_lookup.h"
#include "tests/view/lookup_run.h"

#include <gtest/gtest.h>

namespace shardlens::view {
namespace {

TEST(CacheLookup, ExplainsAMissByTheNearestEntry) {
  Journal journal;
  recordLookup(journal);
  Replay replay(journal);
  EXPECT_FALSE(newestLookup(journal, replay.at(0)));
  const EventId miss = LookupRun::find(journal, EventKind::CacheLookup);
  const auto lookup = newestLookup(journal, replay.at(miss));
  ASSERT_TRUE(lookup);
  EXPECT_EQ(lookup->event, miss);
  EXPECT_EQ(lookup->table, "strategy");
  EXPECT_EQ(lookup->verdict, Verdict::Miss);
  EXPECT_TRUE(lookup->isCurrent);
  EXPECT_EQ(lookup->said.nearest, "embedding [10, 5] S(0), [6] R");
  EXPECT_EQ(lookup->said.differs, (std::vector<LookupDifference>{{"weight.shape[1]", "3", "5"}}));
}

// Events 1 to 3: an operator that decides; 4 to 6: one that finds the decision; 7: after both.
void recordHit(Journal& journal, Recorder& recorder) {
  recorder.addSink(journal);
  const CandidatesRecord chosen{{{"row-wise", {"R"}, {"S(0)"}, 0, 0, true}}};
  {
    const Span first(recorder, makeOperator(recorder, "aten.first", std::nullopt));
    recorder.note(makeLookup(recorder, "strategy", Verdict::Miss, 0, LookupRecord{.key = "k"}));
    recorder.note(makeCandidates(recorder, "row-wise", 1, 0, chosen));
  }
  {
    const Span again(recorder, makeOperator(recorder, "aten.again", std::nullopt));
    recorder.note(makeLookup(recorder, "strategy", Verdict::Hit, 0, LookupRecord{.key = "k"}));
    recorder.note(makeCompute(recorder, "local aten.again"));
  }
  recorder.note(makeStep(recorder, "over"));
}

TEST(Decisions, OfAHitAreThoseItsEntryWasMadeFrom) {
  Journal journal;
  Recorder recorder;
  recordHit(journal, recorder);
  Replay replay(journal);
  const auto decision = [&](EventId position) {
    return strategyDecision(journal, replay.at(position));
  };
  for (const EventId inside : {EventId{5}, EventId{6}}) {
    EXPECT_EQ(decision(inside).event, 3U);
    EXPECT_EQ(decision(inside).subject, 4U);
    EXPECT_EQ(decision(inside).lookup, 5U);
    EXPECT_TRUE(decision(inside).isCurrent);
  }
  EXPECT_FALSE(decision(4).isCurrent);  // it has not looked yet
  EXPECT_EQ(decision(4).subject, 1U);
  EXPECT_FALSE(decision(7).isCurrent);
  EXPECT_EQ(decision(7).when(), 5U);
  EXPECT_EQ(decision(1).subject, 0U);
}

}  // namespace
}  // namespace shardlens::view
