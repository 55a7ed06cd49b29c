// Tests the panel Shards: keyboard, wheel, slices and texts for screen readers.
#include "ui/panels/shards_panel.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/widgets/motion.h"
#include "ui/widgets/shards_canvas.h"

#include <gmock/gmock.h>

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QProxyStyle>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QWheelEvent>
#include <memory>

namespace shardlens {
namespace {

// The panel without a window, with one tensor.
struct OnTensor {
  OnTensor(const char* mesh, Shape shape, Placements placements, QSize size = {800, 500}) {
    recordTensor(journal, mesh, std::move(shape), std::move(placements));
    frame.resize(size);
    panel->setParent(&frame);
    panel->resize(size);
    frame.show();
    frame.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&frame));
    panel->setSnapshot(journal, states->at(journal.size()));
    canvas->setFocus();
  }
  ~OnTensor() { delete panel->header(); }

  template <class T>
  T* find(const char* name) {
    return panel->findChild<T*>(QLatin1String(name));
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(canvas, static_cast<Qt::Key>(key), modifiers);
  }
  void wheel(int degrees, QPointF place) {
    QWheelEvent event(place, canvas->mapToGlobal(place), {}, {0, degrees}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(canvas, &event);
  }
  QString accessibleText(QAccessible::Text kind) const {
    return QAccessible::queryAccessibleInterface(canvas)->text(kind);
  }
  Journal journal;
  QWidget frame;
  ShardsPanel* panel = new ShardsPanel;
  ShardsCanvas* canvas = panel->findChild<ShardsCanvas*>();
  std::unique_ptr<StateIndex> states = std::make_unique<StateIndex>(journal);
};

TEST(ShardsPanel, OffersASliceForThreeDimensions) {
  OnTensor flat("2:tp", {4, 2}, {Shard{0}});
  EXPECT_FALSE(flat.find<QWidget>("shardsSlice")->isVisible());
  OnTensor on("2:tp", {4, 3, 2}, {Shard{0}});
  EXPECT_TRUE(on.find<QWidget>("shardsSlice")->isVisible());
  EXPECT_EQ(on.find<QComboBox>("rowDimChoice")->currentText(), QStringLiteral("dim 0"));
  EXPECT_EQ(on.canvas->scene().cards[1].cells[0].flat, 0);
  on.find<QSpinBox>("dimIndex")->setValue(2);
  EXPECT_EQ(on.canvas->scene().cards[1].cells[0].flat, 4);
  // The choice is kept from step to step.
  on.panel->setSnapshot(on.journal, on.states->at(on.journal.size()));
  EXPECT_EQ(on.find<QSpinBox>("dimIndex")->value(), 2);
  EXPECT_EQ(on.canvas->scene().cards[1].cells[0].flat, 4);
}

TEST(ShardsPanel, BoxOfTheIndexHasRoomForItsText) {
  OnTensor on("2:tp", {4, 12345, 2}, {Shard{0}});
  const auto* box = on.find<QSpinBox>("dimIndex");
  const auto text = box->fontMetrics().horizontalAdvance(QStringLiteral("12344 of 12345"));
  EXPECT_GT(box->minimumWidth(), text + 20);
}

TEST(ShardsPanel, ArrowsCrossCellsAndRanks) {
  OnTensor on("2x2:dp,tp", {4, 4}, {Shard{0}, Shard{1}});
  on.key(Qt::Key_Right);
  EXPECT_EQ(on.accessibleText(QAccessible::Description),
            QStringLiteral("rank 0, local [0, 1] = 1\nglobal [0, 1]"));
  EXPECT_EQ(on.accessibleText(QAccessible::Value), QStringLiteral("1"));
  EXPECT_EQ(on.accessibleText(QAccessible::Name), QStringLiteral("Shards of t"));
  on.key(Qt::Key_Right);
  EXPECT_EQ(on.canvas->currentRank(), 1);
  EXPECT_EQ(on.accessibleText(QAccessible::Value), QStringLiteral("2"));
  on.key(Qt::Key_Down);
  on.key(Qt::Key_Down);
  EXPECT_EQ(on.canvas->currentRank(), 3);
  EXPECT_EQ(on.accessibleText(QAccessible::Value), QStringLiteral("10"));
  on.key(Qt::Key_Left, Qt::ShiftModifier);  // to the same element of the next rank
  EXPECT_EQ(on.canvas->currentRank(), 2);
  EXPECT_EQ(on.accessibleText(QAccessible::Value), QStringLiteral("8"));
  on.key(Qt::Key_Up, Qt::ShiftModifier);
  EXPECT_EQ(on.canvas->currentRank(), 0);
}

TEST(ShardsPanel, EmptyRankCanBeSelected) {
  OnTensor on("4:tp", {5, 2}, {Shard{0}});
  ASSERT_TRUE(on.canvas->goToRank(3));
  EXPECT_TRUE(on.accessibleText(QAccessible::Description).startsWith(QStringLiteral("rank 3")));
  EXPECT_TRUE(
      on.accessibleText(QAccessible::Value).contains(QStringLiteral("empty: the rows end at 4")));
  on.key(Qt::Key_Left);
  EXPECT_EQ(on.canvas->currentRank(), 2);
  EXPECT_TRUE(on.accessibleText(QAccessible::Description).contains(QStringLiteral("1 row fewer")));
  EXPECT_FALSE(on.canvas->goToRank(4));
}

TEST(ShardsPanel, KeysMagnifyUpToSingleCellsAndDownToAllRanks) {
  OnTensor on("512:tp", {1024, 64}, {Shard{0}});
  auto* bar = on.find<QScrollArea>("shardsScroll")->verticalScrollBar();
  EXPECT_GT(bar->maximum(), 0);
  on.key(Qt::Key_Minus);
  EXPECT_EQ(on.canvas->magnified(), Magnifier::kAll);
  EXPECT_EQ(bar->maximum(), 0);
  on.key(Qt::Key_0);
  EXPECT_EQ(on.canvas->magnified(), 1);
  for (int i = 0; i < 40; ++i) on.key(Qt::Key_Plus);
  const double most = on.canvas->magnified();
  on.key(Qt::Key_Plus);
  EXPECT_EQ(on.canvas->magnified(), most);
  const ShardCard& card = on.canvas->scene().cards[0];
  EXPECT_EQ(card.columns, 64);
  EXPECT_EQ(card.foot, QString());
  EXPECT_EQ(card.cells[0].text, QStringLiteral("0"));
}

TEST(ShardsPanel, WheelZoomsAroundThePointer) {
  OnTensor on("4:tp", {400, 40}, {Shard{0}});
  const auto* scroll = on.find<QScrollArea>("shardsScroll");
  const QPointF seenAt(250, 200);
  const auto elementThere = [&] {
    return on.canvas->words(seenAt - on.canvas->pos()).section(u'\n', 0, 1);
  };
  on.wheel(120, seenAt - on.canvas->pos());
  on.wheel(120, seenAt - on.canvas->pos());
  const QString before = elementThere();
  on.wheel(120, seenAt - on.canvas->pos());
  EXPECT_GT(scroll->horizontalScrollBar()->maximum(), 0);
  const auto rank = [](const QString& words) { return words.section(u',', 0, 0); };
  EXPECT_EQ(rank(elementThere()), rank(before));
}

TEST(ShardsPanel, KeyLeadsToTheEventThatMadeTheValue) {
  OnTensor on("2:tp", {4, 2}, {Shard{0}});
  EventId requested = 0;
  QObject::connect(on.panel, &Panel::positionRequested, on.panel,
                   [&](EventId event) { requested = event; });
  on.canvas->goToRank(1);
  on.key(Qt::Key_F12);
  EXPECT_EQ(requested, on.journal.value(1, 1, on.journal.size())->event);
  EXPECT_NE(requested, 0U);
}

// A canvas for a step that reduces the partial values of y to z.
struct OnReduction {
  OnReduction() {
    recordLookup(journal);
    canvas.setRoom(QSize(900, 500));
    canvas.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&canvas));
  }
  ~OnReduction() { Motion::setEnabled(false); }
  void show(EventKind kind, int nth, const char* name) {
    const Snapshot snapshot = states->at(LookupRun::find(journal, kind, nth));
    const auto view = std::make_shared<const TensorView>(
        viewTensor(journal, snapshot, LookupRun::tensor(journal, name)));
    canvas.setTensor(journal, snapshot, view, firstSlice(*view->record));
  }
  void showBefore() { show(EventKind::Result, 3, "y"); }
  void showAfter() { show(EventKind::Result, 4, "z"); }
  void settle() {
    EXPECT_TRUE(QTest::qWaitFor([this] { return !canvas.isStepping(); }));
  }
  Journal journal;
  std::unique_ptr<StateIndex> states = std::make_unique<StateIndex>(journal);
  ShardsCanvas canvas;
};

// A style with a given duration of animations; 0 means that the system requests no motion.
struct LessMotion final : QProxyStyle {
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override {
    return hint == SH_Widget_Animation_Duration
               ? duration
               : QProxyStyle::styleHint(hint, option, widget, data);
  }
  int duration = 0;
};

TEST(Motion, AnimatesAStepIfEnabled) {
  OnReduction on;
  LessMotion style;
  style.duration = 200;
  on.canvas.setStyle(&style);
  on.showBefore();
  on.settle();
  on.showAfter();
  EXPECT_FALSE(on.canvas.isMoving());  // off by default
  Motion::setEnabled(true);
  on.settle();
  on.showBefore();
  EXPECT_TRUE(on.canvas.isMoving());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.canvas.isMoving(); }));
  style.duration = 0;
  on.showAfter();
  EXPECT_FALSE(on.canvas.isMoving());  // the system requests no motion
  on.canvas.setStyle(nullptr);
}

TEST(Motion, NeverDelaysAStep) {
  OnReduction on;
  LessMotion style;
  style.duration = 200;
  on.canvas.setStyle(&style);
  Motion::setEnabled(true);
  on.showBefore();
  on.settle();
  on.showAfter();
  ASSERT_TRUE(on.canvas.isMoving());
  on.showBefore();  // during the motion: ends it, and starts none
  EXPECT_FALSE(on.canvas.isMoving());
  EXPECT_EQ(on.canvas.view().record->name, "y");
  on.showAfter();
  EXPECT_FALSE(on.canvas.isMoving());
  on.canvas.setStyle(nullptr);
}

}  // namespace
}  // namespace shardlens
