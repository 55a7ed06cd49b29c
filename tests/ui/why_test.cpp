// Tests that Why and the note in Caches are about the current event, or are marked as older.
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/tables/alternatives_table.h"
#include "tests/trace/named_event.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/widgets/table_view.h"

#include <gmock/gmock.h>

#include <QLabel>
#include <QScrollBar>
#include <string>

namespace shardlens {
namespace {

// A panel without a window, to be shown at positions of a recording.
template <class Shown>
class OfRun {
 public:
  explicit OfRun(void (*record)(Journal&) = recordLookup) { record(journal); }
  ~OfRun() { delete panel.header(); }  // a dock would own it
  Shown& at(EventId position) {
    panel.setSnapshot(journal, states.at(position));
    return panel;
  }
  EventId find(EventKind kind, int nth = 0) const { return LookupRun::find(journal, kind, nth); }
  std::string label(const char* name) const {
    const auto* found = panel.template findChild<ElidedLabel*>(QLatin1String(name));
    return found->isHidden() ? std::string() : found->text().toStdString();
  }
  const QuietTable& table(const char* name) const {
    return *panel.template findChild<QuietTable*>(QLatin1String(name));
  }
  Journal journal;
  StateIndex states{journal};
  Shown panel;
};

// Records an operator with a cache miss (events 1 to 3), one with a hit (4 to 9) around an inner
// operator with a miss (6 to 8), and a step.
void recordHit(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  Event op;
  op.kind = EventKind::Operator;
  const auto named = [&](const char* name) {
    op.name = recorder.intern(name);
    return op;
  };
  const auto decide = [&] {
    recorder.note(makeLookup(recorder, CacheTable::Strategy, {.kept = true}, std::nullopt));
    Event candidates;
    candidates.kind = EventKind::Candidates;
    candidates.detail = recorder.intern(
        R"j([{"name": "row-wise", "inputs": ["R"], "outputs": ["S(0)"], "chosen": true}])j");
    recorder.note(candidates);
  };
  {
    const Span made(recorder, named("aten.first"));
    decide();
  }
  {
    const Span found(recorder, named("aten.again"));
    recorder.note(makeLookup(recorder, CacheTable::Strategy, {.verdict = Verdict::Hit, .entry = 2},
                             std::nullopt));
    {
      const Span inner(recorder, named("aten.inner"));
      decide();
    }
    Event compute;
    compute.kind = EventKind::Compute;
    recorder.note(compute);
  }
  recorder.note(Event{});
}

TEST(Why, ShowsTheEnclosingOperator) {
  OfRun<WhyPanel> why;
  for (EventId id = 11; id <= 17; ++id) {
    why.at(id);
    EXPECT_EQ(why.panel.header()->detail(), QStringLiteral("aten.embedding")) << id;
    EXPECT_EQ(why.label("whySource"), "") << id;
    EXPECT_EQ(why.label("planSource"), "") << id;
    EXPECT_FALSE(why.table("candidatesView").dimmed()) << id;
    EXPECT_FALSE(why.table("planView").dimmed()) << id;
  }
}

TEST(Why, MarksAnEarlierDecision) {
  OfRun<WhyPanel> why;
  why.at(18);  // "z = redistribute(y, R)", where nothing is decided yet
  EXPECT_TRUE(why.table("candidatesView").isHidden());
  EXPECT_TRUE(why.table("planView").dimmed());
  EXPECT_EQ(why.label("planSource"), "Last plan, 7 events ago");
  why.at(9);
  EXPECT_FALSE(why.table("candidatesView").dimmed());
  why.at(25);
  EXPECT_FALSE(why.table("planView").dimmed());
  EXPECT_EQ(why.label("planSource"), "");
  why.at(5);
  EXPECT_TRUE(why.table("candidatesView").isHidden());
  EXPECT_TRUE(why.table("planView").isHidden());
}

TEST(Why, ShowsTheCandidatesOfACacheEntry) {
  OfRun<WhyPanel> why(recordHit);
  why.at(5);
  EXPECT_EQ(why.panel.header()->detail(), QStringLiteral("aten.again"));
  EXPECT_EQ(why.panel.header()->note(), QStringLiteral("chosen: row-wise"));
  EXPECT_EQ(why.label("whySource"), "Cached: the decision of event 3");
  EXPECT_FALSE(why.table("candidatesView").dimmed());
  why.at(9);
  EXPECT_EQ(why.label("whySource"), "Cached: the decision of event 3");
}

TEST(Why, SeparatesNestedOperators) {
  OfRun<WhyPanel> why(recordHit);
  why.at(6);  // before its lookup
  EXPECT_TRUE(why.table("candidatesView").dimmed());
  EXPECT_EQ(why.label("whySource"), "Last decision, 1 event ago, cached: the decision of event 3");
  why.at(8);
  EXPECT_FALSE(why.table("candidatesView").dimmed());
  EXPECT_EQ(why.panel.header()->detail(), QStringLiteral("aten.inner"));
  EXPECT_EQ(why.label("whySource"), "");
  why.at(9);
  EXPECT_EQ(why.panel.header()->detail(), QStringLiteral("aten.again"));
  why.at(10);  // the next step
  EXPECT_TRUE(why.table("candidatesView").dimmed());
  EXPECT_EQ(why.label("whySource"), "Last decision, 2 events ago");
  why.at(4);  // before the lookup of the outer operator
  EXPECT_EQ(why.label("whySource"), "Last decision, 1 event ago");
  EXPECT_EQ(why.panel.header()->detail(), QStringLiteral("aten.first"));
}

TEST(Why, NamesTheCachedPlan) {
  OfRun<WhyPanel> why(recordPlan);
  why.at(why.find(EventKind::Collective, 1));
  EXPECT_EQ(why.label("planSource"),
            "Cached: the plan of event " + std::to_string(why.find(EventKind::Plan)));
  EXPECT_FALSE(why.table("alternativesView").dimmed());
}

// Records an operator with more candidates than a small panel shows.
void recordManyCandidates(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  Event op;
  op.kind = EventKind::Operator;
  op.name = recorder.intern("aten.mm");
  const Span span(recorder, op);
  Event candidates;
  candidates.kind = EventKind::Candidates;
  std::string list;
  for (int i = 0; i < 20; ++i) {
    list += std::string(i == 0 ? "[" : ", ") +
            R"j({"name": "column-wise x replicate", "inputs": ["S(0), S(1)", "S(0), R"],)j" +
            R"j( "outputs": ["S(0), S(1)"], "chosen": )j" + (i == 0 ? "true}" : "false}");
  }
  candidates.detail = recorder.intern(list + "]");
  recorder.note(candidates);
}

TEST(Why, NamesGiveWayToPlacementsBesideAScrollBar) {
  OfRun<WhyPanel> why(recordManyCandidates);
  why.panel.resize(340, 240);
  why.panel.show();
  why.at(why.journal.size());
  const auto& table = why.table("candidatesView");
  ASSERT_EQ(table.model()->rowCount(), 20);
  ASSERT_FALSE(table.verticalScrollBar()->isHidden());
  int all = 0;
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    if (table.isColumnHidden(column)) continue;
    all += table.columnWidth(column);
    if (column == view::CandidatesTable::Name) continue;
    EXPECT_GE(table.columnWidth(column),
              static_cast<const QAbstractItemView&>(table).sizeHintForColumn(column))
        << column;
  }
  EXPECT_LE(all, table.viewport()->width());
}

TEST(Why, HidesTheNamesInANarrowPanel) {
  OfRun<WhyPanel> why(recordManyCandidates);
  why.panel.resize(280, 240);
  why.panel.show();
  why.at(why.journal.size());
  const auto& table = why.table("candidatesView");
  EXPECT_TRUE(table.isColumnHidden(view::CandidatesTable::Name));
  for (const auto column : {view::CandidatesTable::Inputs, view::CandidatesTable::Output}) {
    EXPECT_GE(table.columnWidth(column),
              static_cast<const QAbstractItemView&>(table).sizeHintForColumn(column));
  }
  why.panel.resize(420, 240);
  EXPECT_FALSE(table.isColumnHidden(view::CandidatesTable::Name));
}

// Records a redistribution whose plan has two alternatives.
void recordAlternatives(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", "4:tp");
  const TensorId x = recorder.addTensor("x", {DType::Float32, {8, 4}, {Shard{0}}});
  const AlternativeRecord chosen{.name = "min-cost",
                                 .collectives = 1,
                                 .bytes = 108,
                                 .microseconds = 29.4,
                                 .peak = 144,
                                 .chosen = true};
  const AlternativeRecord other{
      .name = "greedy", .collectives = 2, .bytes = 216, .microseconds = 39.4, .peak = 90};
  const PlanRecord plan{.steps = {{.axis = "tp", .from = "S(0)", .to = "R", .move = "all_gather"}},
                        .planner = "min-cost",
                        .alternatives = {chosen, other}};
  const RouteId route = routeIn(recorder, "S(0) -> R");
  const Span move(recorder, makeRedistribute(route, x, Verdict::Explicit));
  recorder.note(makePlan(recorder, route, 1, 0, plan));
}

TEST(Why, NamesThePlansInANarrowPanel) {
  OfRun<WhyPanel> why(recordAlternatives);
  why.panel.resize(280, 420);
  why.panel.show();
  why.at(why.journal.size());
  const auto& table = why.table("alternativesView");
  ASSERT_GT(table.model()->rowCount(), 0);
  int all = 0;
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    all += table.isColumnHidden(column) ? 0 : table.columnWidth(column);
  }
  EXPECT_LE(all, table.viewport()->width());
  EXPECT_GE(table.columnWidth(view::AlternativesTable::Name),
            static_cast<const QAbstractItemView&>(table).sizeHintForColumn(
                view::AlternativesTable::Name));
}

TEST(Why, FitsInputsAndBothTimes) {
  OfRun<WhyPanel> why;
  why.panel.resize(260, 420);
  why.at(17);
  why.panel.show();
  EXPECT_FALSE(why.table("candidatesView").isColumnHidden(view::CandidatesTable::Inputs));
  OfRun<WhyPanel> plan(recordPlan);
  plan.panel.resize(230, 420);
  plan.at(plan.journal.size());
  plan.panel.show();
  const auto* summary = plan.panel.findChild<ElidedLabel*>(QStringLiteral("planSummary"));
  EXPECT_THAT(summary->text().toStdString(), testing::HasSubstr("took"));
  EXPECT_GE(summary->width(), summary->sizeHint().width());
}

TEST(Caches, MarksAnEarlierLookup) {
  OfRun<CachesPanel> caches;
  caches.at(17);
  EXPECT_TRUE(caches.panel.explanation().startsWith(QStringLiteral("<b>Why missed")));
  caches.at(18);
  EXPECT_TRUE(caches.panel.explanation().startsWith(
      QStringLiteral("Last cache lookup, 8 events ago. <b>Why missed")))
      << qPrintable(caches.panel.explanation());
  caches.at(20);
  EXPECT_TRUE(caches.panel.explanation().startsWith(QStringLiteral("<b>Hit in the plan cache")));
}

}  // namespace
}  // namespace shardlens
