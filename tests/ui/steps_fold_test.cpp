// Tests the rows of cache hits in the panel Events.
#include "tests/ui/support/at_event.h"
#include "ui/panels/steps_panel.h"

#include <gtest/gtest.h>

#include <QToolButton>
#include <QTreeView>

namespace shardlens {
namespace {

// On the recording of a lookup, whose second plan is cached.
struct OnHit : At {
  OnHit() : At(EventKind::Result, 0) {
    for (EventId id = 1; id <= journal.size(); ++id) {
      hit = model().isHit(id) ? id : hit;
    }
  }
  const StepsModel& model() { return find<StepsPanel>("eventsPanel")->model(); }
  bool isFolded() {
    const QModelIndex row = model().indexOf(hit);
    return find<QTreeView>("stepsView")->isRowHidden(row.row(), row.parent());
  }
  EventId hit = 0;
};

TEST(StepsFold, HitsAreFoldedIntoTheRowsOfTheirSpans) {
  OnHit on;
  ASSERT_NE(on.hit, 0U);
  EXPECT_TRUE(on.isFolded());
  const EventId span = on.journal.at(on.hit).parent;
  EXPECT_EQ(on.model().indexOf(span, StepsModel::Note).data(),
            QStringLiteral("explicit · 1 cache hit"));
}

TEST(StepsFold, HitAtThePositionIsARow) {
  OnHit on;
  on.window.cursor().moveTo(on.hit);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.isFolded(); }));
  EXPECT_EQ(on.find<StepsPanel>("eventsPanel")->currentEvent(), on.hit);
  on.press(Qt::Key_Right);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.isFolded(); }));
}

TEST(StepsFold, ButtonShowsAllHits) {
  OnHit on;
  auto* button = on.find<QToolButton>("stepsHits");
  EXPECT_TRUE(button->isVisible());
  QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_FALSE(on.isFolded());
  on.window.cursor().moveTo(on.journal.size());
  EXPECT_FALSE(on.isFolded());
  QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(on.isFolded());
}

TEST(StepsFold, FilterListsHits) {
  OnHit on;
  auto* panel = on.find<StepsPanel>("eventsPanel");
  panel->setFilter(QStringLiteral("cache:hit"));
  EXPECT_TRUE(QTest::qWaitFor([&] {
    const auto* list = on.find<QAbstractItemView>("matchesView");
    const auto* rows = list->model();
    return rows->rowCount() > 0 &&
           rows->index(rows->rowCount() - 1, 0).data(StepsModel::EventRole).toUInt() == on.hit;
  }));
  EXPECT_FALSE(on.find<QToolButton>("stepsHits")->isVisible());
}

}  // namespace
}  // namespace shardlens
