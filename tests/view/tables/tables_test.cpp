#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/tables/alternatives_table.h"
#include "core/view/tables/caches_table.h"
#include "core/view/tables/candidates_table.h"
#include "core/view/tables/plan_table.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/units.h"
#include "tests/view/lookup_run.h"
#include "tests/view/table_text.h"

#include <gtest/gtest.h>

namespace shardlens::view {
namespace {

class Recording {
 public:
  explicit Recording(void (*record)(Journal&) = recordLookup) { record(journal); }
  Snapshot at(EventId position) { return states_.at(position); }
  Snapshot end() { return at(journal.size()); }
  EventId find(EventKind kind, int nth = 0) const { return LookupRun::find(journal, kind, nth); }

  Journal journal;

 private:
  StateIndex states_{journal};
};

TEST(CachesTable, HasAnEntryALookUpWithItsVerdict) {
  Recording run;
  EXPECT_EQ(tableText(cachesTable(run.journal, run.at(0))), "");
  const auto table = cachesTable(run.journal, run.end());
  const auto lookup = [&run](int nth) {
    return std::to_string(run.find(EventKind::CacheLookup, nth));
  };
  EXPECT_EQ(tableText(table), "strategy | embedding [10, 3] S(0), [6] R | 0 | 1 | 1 | " +
                                  lookup(0) + " | " + lookup(0) + " | miss\n" +
                                  "plan | i64[6] R -> MaskP([10, 3]) | 1 | 1 | 0 | " + lookup(1) +
                                  " | " + lookup(2) + " | hit\n");
  EXPECT_EQ(table.rows[0].cells[CachesTable::Last].tone, Tone::Warn);
  EXPECT_EQ(table.rows[1].cells[CachesTable::Last].tone, Tone::Good);
  EXPECT_EQ(table.rows[1].cells[CachesTable::Hits].number, 1);
  EXPECT_EQ(run.journal.at(table.rows[1].event).verdict, Verdict::Hit);
}

TEST(CachesTable, MarksTheEntryThatIsLookedUp) {
  Recording run;
  const EventId lookup = run.find(EventKind::CacheLookup);
  EXPECT_TRUE(cachesTable(run.journal, run.at(lookup)).rows[0].marked);
  EXPECT_FALSE(cachesTable(run.journal, run.at(lookup + 1)).rows[0].marked);
}

// At a lookup, the row with this last lookup is marked. At any other event, no row is marked.
TEST(CachesTable, KnowsItsMarkedRowWithoutBuildingOthers) {
  for (const auto record : {recordLookup, recordPlan}) {
    Recording run(record);
    for (EventId position = 0; position <= run.journal.size(); ++position) {
      const auto rows = cachesTable(run.journal, run.at(position)).rows;
      std::optional<std::size_t> marked;
      for (std::size_t place = 0; place < rows.size(); ++place) {
        if (rows[place].event == position) marked = place;
      }
      EXPECT_EQ(rows.marked(), marked) << position;
      const bool isLookup =
          position != 0 && run.journal.at(position).kind == EventKind::CacheLookup;
      EXPECT_EQ(marked.has_value(), isLookup) << position;
    }
  }
}

// A window redraws a table only if its rows compare unequal to the previous ones.
TEST(CachesTable, IsAnotherExactlyWhereItsRowsAre) {
  for (const auto record : {recordLookup, recordPlan}) {
    Recording run(record);
    const auto rowsAt = [&](EventId position) {
      return cachesTable(run.journal, run.at(position)).rows;
    };
    for (EventId position = 0; position <= run.journal.size(); ++position) {
      for (EventId other = 0; other <= run.journal.size(); ++other) {
        EXPECT_EQ(rowsAt(position) == rowsAt(other), rowsAt(position).all() == rowsAt(other).all())
            << position << " and " << other;
      }
    }
  }
}

TEST(HoldersText, NamesTheHoldersOfABuffer) {
  Recording run;
  const auto text = [&](EventId position) { return holdersText(*run.at(position).buffer(1)); };
  EXPECT_EQ(text(run.find(EventKind::MaskMaterialized)), "x'");
  EXPECT_EQ(text(run.find(EventKind::MaskMaterialized, 1)), "x', y");
  EXPECT_EQ(text(run.find(EventKind::MaskReleased, 1)), "none");
}

TEST(CandidatesTable, ShowsTheCandidatesAndTheChosenOne) {
  Recording run;
  const auto shown = candidatesTable(run.journal, run.find(EventKind::Candidates));
  EXPECT_EQ(tableText(shown.table),
            "* row-wise | S(0), MaskP | MaskP | 0 B | 0.0 us\n"
            "column-wise | S(1), R | S(1) | 90 B | 6.7 us\n"
            "batch | R, S(0) | S(0) | 90 B | 9.1 us\n"
            "replicate | R, R | R | 90 B | 9.1 us\n");
  EXPECT_EQ(shown.verdict, "chosen: row-wise");
  EXPECT_EQ(shown.operatorName, "aten.embedding");
  EXPECT_EQ(shown.leftOut, 0);
  EXPECT_EQ(shown.table.rows[1].cells[CandidatesTable::Receives].number, 90);
}

TEST(CandidatesTable, DistinguishesTensorsWithEqualNames) {
  Recording run([](Journal& journal) {
    Recorder recorder;
    recorder.addSink(journal);
    const CandidatesRecord two{{{"sharded", {"R", "S(0)"}, {"S(0)"}, 0, 0, true},
                                {"sharded", {"S(1)", "R"}, {"S(1)"}, 0, 0, false}}};
    recorder.note(makeCandidates(recorder, "sharded", 33, 0, two));
  });
  const auto shown = candidatesTable(run.journal, 1);
  EXPECT_EQ(shown.verdict, "chosen: sharded: R, S(0) → S(0)");
  EXPECT_EQ(shown.leftOut, 31);
}

// Logs of other tools contain neither costs nor bytes.
TEST(CandidatesTable, HasNoNumbersThatTheRecordingLacks) {
  Recording run([](Journal& journal) {
    Recorder recorder;
    recorder.addSink(journal);
    recorder.note(makeCandidates(recorder, "R", 1, 0, CandidatesRecord{{{"R", {"R"}, {"R"}}}}));
  });
  const auto shown = candidatesTable(run.journal, 1);
  EXPECT_EQ(tableText(shown.table), "R | R | R |  | \n");
  EXPECT_EQ(shown.table.rows[0].cells[CandidatesTable::Cost].number, std::nullopt);
}

TEST(PlanTable, ShowsTheNewestPlan) {
  Recording run;
  const auto shown = planTable(run.journal, run.journal.size());
  EXPECT_EQ(tableText(shown.table), " | tp | MaskP → R |  |  |  | \n");
  EXPECT_EQ(shown.title, "y: MaskP → R");
}

// The second redistribution makes no plan but follows the cached one.
TEST(PlanTable, ShowsEachStepAlsoOfARememberedPlan) {
  for (const int redistribution : {0, 1}) {
    Recording run(recordPlan);
    const EventId gather = run.find(EventKind::Collective, redistribution);
    const auto shown = planTable(run.journal, gather);
    const auto took = durationText(run.journal.at(gather).duration);
    EXPECT_EQ(tableText(shown.table), "all_gather | dp_tp | R, R | 96 B | 160 B | 7.2 us | " +
                                          took +
                                          "\n"
                                          "slice | tp | R, S(0) | 0 B | 192 B |  | \n");
    EXPECT_EQ(tableText(planTable(run.journal, gather - 1).table),
              "all_gather | dp_tp | R, R | 96 B | 160 B | 7.2 us | \n"
              "slice | tp | R, S(0) | 0 B | 192 B |  | \n");
    EXPECT_EQ(shown.title, "t: (S(0), S(0)) → (R, S(0))");
    EXPECT_TRUE(shown.summary.starts_with("estimated 7.2 us, took ")) << shown.summary;
    EXPECT_EQ(planTable(run.journal, gather - 1).summary, "estimated 7.2 us");
    EXPECT_TRUE(shown.decision.isCurrent);
    const EventId event = run.find(EventKind::Redistribute, redistribution);
    EXPECT_EQ(shown.decision.subject, event);
    EXPECT_EQ(shown.decision.event, run.find(EventKind::Plan));
    EXPECT_EQ(shown.decision.lookup != 0, redistribution == 1);
    // The plan is made after this event.
    EXPECT_FALSE(planTable(run.journal, event).decision.isCurrent);
  }
}

TEST(AlternativesTable, ShowsThePlansSideBySide) {
  Recording run(recordPlan);
  const PlanRecord plan = planTable(run.journal, run.journal.size()).plan;
  EXPECT_EQ(tableText(alternativesTable(plan.alternatives)),
            "* min-cost | 1 | 7.2 us | 96 B | 256 B | (S(0), S(0)) -> (R, R) -> (R, S(0))\n"
            "greedy | 2 | 14.1 us | 96 B | 192 B | "
            "(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))\n");
  EXPECT_EQ(searchText(plan), "min-cost explored 5 states");
  EXPECT_EQ(searchText({}), "");
}

TEST(AlternativesTable, ShowsThatTheSearchGaveUp) {
  EXPECT_EQ(
      searchText(
          {.planner = "min-cost", .explored = 1, .caveat = "the search stopped after 4096 states"}),
      "min-cost explored 1 state; a cheaper plan may exist: the search stopped after 4096 states");
  EXPECT_EQ(searchText({.caveat = "none"}), "a cheaper plan may exist: none");
}

}  // namespace
}  // namespace shardlens::view
