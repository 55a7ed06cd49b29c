// Tests that the panels mark a rank that calls another collective than its replicas.
#include "app/bench/run_case.h"
#include "tests/ui/support/window.h"
#include "ui/models/steps_model.h"
#include "ui/panels/timeline_panel.h"
#include "ui/widgets/mesh_canvas.h"
#include "ui/widgets/timeline_canvas.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QDockWidget>
#include <QTreeView>
#include <algorithm>

namespace shardlens {
namespace {

// Rank 37 of 64 calls reduce_scatter where its 15 replicas call all_reduce.
struct OnDivergence : Window {
  OnDivergence() {
    const RunCase of{.ranks = 64,
                     .steps = 3,
                     .stages = 2,
                     .experts = 2,
                     .tensorParallel = 2,
                     .fault = RunCase::Fault::Divergence,
                     .faulty = 37};
    window.resize(1440, 900);
    EXPECT_TRUE(QDir().mkpath(path("job")));
    EXPECT_TRUE(recordRun(of, path("job").toStdString()));
    EXPECT_TRUE(open(path("job")));
    for (const char* dock : {"meshPanelDock", "timelinePanelDock"}) {
      find<QDockWidget>(dock)->show();
      find<QDockWidget>(dock)->raise();
    }
    auto* panel = find<TimelinePanel>("timelinePanel");
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel->isComplete() && timeline->isVisible(); }));
    go("all_reduce");
  }
  // Goes to one of the two collectives.
  void go(std::string_view name) {
    const Journal& journal = window.cursor().journal();
    EventId event = journal.size();
    const auto isIt = [&] {
      const auto ranks = parseRankRanges(journal.text(journal.at(event).ranks));
      return journal.name(journal.at(event)) == name && contains(ranks, 37) &&
             rankCount(ranks) == 16;
    };
    while (event > 1 && !isIt()) --event;
    window.cursor().moveTo(event);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of %2").arg(event).arg(journal.size())));
  }
  const MeshRank* onMesh(int rank) const {
    const auto& ranks = mesh->scene().ranks;
    const auto found = std::ranges::find(ranks, rank, &MeshRank::rank);
    return found == ranks.end() ? nullptr : &*found;
  }
  MeshCanvas* mesh = find<MeshCanvas>("meshCanvas");
  TimelineCanvas* timeline = find<TimelineCanvas>("timelineCanvas");
};

TEST(Divergence, TheMeshMarksAndShowsTheRank) {
  OnDivergence on;
  for (const char* name : {"all_reduce", "reduce_scatter"}) {
    on.go(name);
    ASSERT_NE(on.onMesh(37), nullptr) << name;
    EXPECT_TRUE(on.onMesh(37)->atFault) << name;
    EXPECT_EQ(std::ranges::count_if(on.mesh->scene().ranks, &MeshRank::atFault), 1) << name;
    EXPECT_TRUE(on.mesh->words(37).contains(QStringLiteral("called another"))) << name;
    EXPECT_FALSE(on.mesh->words(35).contains(QStringLiteral("called another"))) << name;
  }
}

TEST(Divergence, TheTimelineMarksTheCallInALaneOfTheRank) {
  OnDivergence on;
  ASSERT_TRUE(QTest::qWaitFor([&] {
    return std::ranges::any_of(on.timeline->scene().lanes,
                               [](const TimelineLane& lane) { return lane.rank == 37; });
  }));
  for (const TimelineLane& lane : on.timeline->scene().lanes) {
    EXPECT_EQ(lane.divergence.has_value(), lane.rank == 37) << lane.rank;
    if (lane.rank != 37) continue;
    EXPECT_EQ(lane.row.lanes, 1);
    EXPECT_EQ(lane.divergence->text, QStringLiteral("diverges"));
    EXPECT_GE(lane.divergence->rect.width(), 8);
    const QPointF place = lane.divergence->rect.center() + QPointF(66, 34);
    EXPECT_TRUE(on.timeline->words(place).contains(QStringLiteral(
        "rank 37 ran reduce_scatter over dp at /job/train.py:30 where ranks 32,33,")))
        << qPrintable(on.timeline->words(place));
  }
}

TEST(Divergence, TheTooltipOfAnEventHasTheWholeText) {
  OnDivergence on;
  on.go("reduce_scatter");
  const auto* events = on.find<QTreeView>("stepsView");
  const QModelIndex row = events->currentIndex().siblingAtColumn(StepsModel::Note);
  EXPECT_EQ(row.data().toString(), QStringLiteral("15 ranks called all_reduce"));
  const QString whole = row.siblingAtColumn(StepsModel::Title).data(Qt::ToolTipRole).toString();
  EXPECT_TRUE(whole.contains(QStringLiteral("which called all_reduce"))) << qPrintable(whole);
}

}  // namespace
}  // namespace shardlens
