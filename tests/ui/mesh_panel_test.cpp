// Tests the panel Mesh: keyboard, menu and texts for screen readers.
#include "ui/panels/mesh_panel.h"

#include "core/query/language/similar_events.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/widgets/mesh_canvas.h"
#include "ui/widgets/shards_canvas.h"

#include <gmock/gmock.h>

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QWheelEvent>

namespace shardlens {
namespace {

struct OnMesh : Window {
  OnMesh() {
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    recordLookup(journal);
    go(LookupRun::find(journal, EventKind::Collective));
    canvas->setFocus();
  }
  void go(EventId position) {
    window.cursor().moveTo(position);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of 25").arg(position)));
  }
  void key(int key) { QTest::keyClick(canvas, static_cast<Qt::Key>(key)); }
  int current() const { return canvas->current().value_or(-1); }
  QString accessibleText(QAccessible::Text kind) const {
    return QAccessible::queryAccessibleInterface(canvas)->text(kind);
  }
  QMenu* menuOfCurrent() {
    const QPoint place =
        static_cast<QWidget*>(canvas)->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, place, canvas->mapToGlobal(place));
    QApplication::sendEvent(canvas, &event);
    return find<QMenu>("panelMenu");
  }
  void choose(const QString& text) {
    QMenu* menu = menuOfCurrent();
    for (QAction* action : menu->actions()) {
      if (action->text() == text) {
        action->trigger();
        menu->close();
        return;
      }
    }
    FAIL() << qPrintable(text);
  }
  Journal journal;
  MeshCanvas* canvas = find<MeshCanvas>("meshCanvas");
};

// When the position moves to ranks that are not visible, the mesh scrolls to them.
TEST(MeshPanel, ScrollsToTheRanksOfTheEvent) {
  Journal journal;
  journal.onMeta("mesh", "32x32:dp,tp");
  journal.onString(1, "0,1");
  journal.onString(2, "1000,1001");
  for (EventId id = 1; id <= 2; ++id) {
    Event event;
    event.kind = EventKind::Collective;
    event.ranks = id;
    journal.onEvent(id, event, {});
  }
  MeshCanvas canvas;
  canvas.resize(240, 200);
  canvas.show();
  Snapshot snapshot;
  snapshot.position = 1;
  canvas.setSnapshot(journal, snapshot);
  EXPECT_EQ(canvas.verticalScrollBar()->value(), 0);
  snapshot.position = 2;
  canvas.setSnapshot(journal, snapshot);
  EXPECT_GT(canvas.verticalScrollBar()->value(), 0);
  canvas.verticalScrollBar()->setValue(0);
  canvas.setSnapshot(journal, snapshot);  // the position has not moved
  EXPECT_EQ(canvas.verticalScrollBar()->value(), 0);
}

TEST(MeshPanel, ArrowsMoveBetweenRanks) {
  OnMesh on;
  EXPECT_EQ(on.current(), 0);
  on.key(Qt::Key_Right);
  on.key(Qt::Key_Right);
  EXPECT_EQ(on.current(), 2);
  on.key(Qt::Key_Left);
  EXPECT_EQ(on.current(), 1);
  EXPECT_EQ(on.window.cursor().position(), LookupRun::find(on.journal, EventKind::Collective));
}

TEST(MeshPanel, CurrentRankIsAccessible) {
  OnMesh on;
  on.key(Qt::Key_Right);
  EXPECT_EQ(on.accessibleText(QAccessible::Name),
            QStringLiteral("Mesh, all_reduce over tp, sent: 72 B per rank, 288 B in total"));
  EXPECT_EQ(on.accessibleText(QAccessible::Description), QStringLiteral("rank 1"));
  EXPECT_EQ(on.accessibleText(QAccessible::Value),
            QStringLiteral("sends, receives\npart: [6, 3]\ndevice unknown"));
  on.go(1);
  EXPECT_FALSE(on.accessibleText(QAccessible::Value).contains(QStringLiteral("sends")));
}

TEST(MeshPanel, TypedNumberSelectsTheRank) {
  OnMesh on;
  on.key(Qt::Key_3);
  auto* line = on.find<QLineEdit>("rankNumber");
  EXPECT_TRUE(line->hasFocus());
  EXPECT_EQ(line->text(), QStringLiteral("3"));
  EXPECT_EQ(on.current(), 3);
  QTest::keyClicks(line, QStringLiteral("2"));
  EXPECT_EQ(on.current(), 3);
  EXPECT_EQ(on.find<QLabel>("rankMistake")->text(), QStringLiteral("Expected a rank from 0 to 3."));
  QTest::keyClick(line, Qt::Key_Backspace);
  QTest::keyClick(line, Qt::Key_Backspace);
  EXPECT_EQ(on.find<QLabel>("rankMistake")->text(), QString());
  QTest::keyClicks(line, QStringLiteral("1"));
  EXPECT_EQ(on.current(), 1);
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_TRUE(on.canvas->hasFocus());
  EXPECT_FALSE(line->isVisible());
}

TEST(MeshPanel, ScrollsToAnyOf4096Ranks) {
  Journal journal;
  recordTensor(journal, "4:tp", {8}, {Shard{0}});
  journal.onMeta("mesh", "4096:tp");
  StateIndex states(journal);
  MeshPanel mesh;
  mesh.resize(320, 240);
  mesh.show();
  mesh.setSnapshot(journal, states.at(journal.size()));
  auto* canvas = mesh.findChild<MeshCanvas*>();
  for (const int rank : {4095, 0, 2048, 17}) {
    canvas->goTo(rank);
    EXPECT_TRUE(mesh.scene().inside.contains(mesh.scene().boxOf(rank))) << rank;
    const bool isLaid = std::any_of(mesh.scene().ranks.begin(), mesh.scene().ranks.end(),
                                    [&](const MeshRank& each) { return each.rank == rank; });
    EXPECT_TRUE(isLaid) << rank;
  }
  canvas->magnify(-1);
  EXPECT_EQ(mesh.scene().ranks.size(), 4096U);  // all at once
  EXPECT_EQ(canvas->verticalScrollBar()->maximum(), 0);
  canvas->magnify(1);
  canvas->magnify(1);
  EXPECT_EQ(canvas->magnified(), 1.5);
  EXPECT_TRUE(mesh.scene().inside.contains(mesh.scene().boxOf(17)));
  canvas->magnify(0);
  EXPECT_EQ(canvas->magnified(), 1);
  delete mesh.header();
}

TEST(MeshPanel, KeysAndTheWheelMagnify) {
  OnMesh on;
  on.key(Qt::Key_Plus);
  EXPECT_EQ(on.canvas->magnified(), 1.5);
  on.key(Qt::Key_0);
  EXPECT_EQ(on.canvas->magnified(), 1);
  on.key(Qt::Key_Minus);
  EXPECT_EQ(on.canvas->magnified(), Magnifier::kAll);
  const auto wheel = [&](int degrees, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(QPointF(50, 50), on.canvas->mapToGlobal(QPointF(50, 50)), {}, {0, degrees},
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(on.canvas->viewport(), &event);
  };
  wheel(120, Qt::NoModifier);
  EXPECT_EQ(on.canvas->magnified(), Magnifier::kAll);
  wheel(120, Qt::ControlModifier);
  wheel(120, Qt::ControlModifier);
  EXPECT_EQ(on.canvas->magnified(), 1.5);
  wheel(-120, Qt::ControlModifier);
  EXPECT_EQ(on.canvas->magnified(), 1);
}

TEST(MeshPanel, ReturnShowsTheShardOfTheRank) {
  OnMesh on;
  on.go(LookupRun::find(on.journal, EventKind::Result, 0));
  on.canvas->goTo(2);
  on.key(Qt::Key_Return);
  auto* shards = on.find<ShardsCanvas>("shardsCanvas");
  EXPECT_TRUE(shards->hasFocus());
  EXPECT_EQ(shards->currentRank(), 2);
}

TEST(MeshPanel, RankMenuActsOnTheRank) {
  OnMesh on;
  on.go(LookupRun::find(on.journal, EventKind::Result, 0));
  on.canvas->goTo(1);
  on.choose(QStringLiteral("Copy description of the rank"));
  EXPECT_EQ(QApplication::clipboard()->text(), on.canvas->words(1));
  on.choose(QStringLiteral("Break on this rank"));
  EXPECT_EQ(on.window.breakpoints().stateOf(QStringLiteral("rank:1")), true);
  on.choose(QStringLiteral("Filter by this rank"));
  EXPECT_EQ(on.find<StepsPanel>("eventsPanel")->filter(), *parseQuery("rank:1"));
  on.choose(QStringLiteral("Show in Inspector"));
  EXPECT_EQ(on.find<QComboBox>("rankChoice")->currentText(), QStringLiteral("rank 1"));
  on.go(1);
  on.choose(QStringLiteral("Go to the collective"));
  const EventId collective = LookupRun::find(on.journal, EventKind::Collective);
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(collective)));
  const auto query = QString::fromStdString(similarEvents(on.journal, collective));
  on.choose(QStringLiteral("Filter by this collective"));
  EXPECT_EQ(on.find<StepsPanel>("eventsPanel")->filter(), *parseQuery(query.toStdString()));
  on.choose(QStringLiteral("Break on this collective"));
  EXPECT_EQ(on.window.breakpoints().stateOf(query), true);
}

}  // namespace
}  // namespace shardlens
