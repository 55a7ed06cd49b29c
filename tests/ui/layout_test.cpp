// Tests that panels keep their sizes.
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/recorder.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/panel.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QTabBar>
#include <QToolButton>
#include <set>

namespace shardlens {
namespace {

using Sizes = std::map<std::string, std::pair<int, int>>;

// Returns the sizes of the visible docks. A dock in a background tab has no size.
Sizes sizesIn(const MainWindow& window) {
  Sizes sizes;
  for (const auto* dock : window.findChildren<QDockWidget*>()) {
    if (!dock->visibleRegion().isEmpty()) {
      sizes[dock->objectName().toStdString()] = {dock->width(), dock->height()};
    }
  }
  return sizes;
}

struct Laid : Window {
  explicit Laid(QSize size = {1680, 1050}) {
    window.resize(size);
    writeLookup(path("run.shardlens"));
    open();
  }
  void open() {
    EXPECT_TRUE(openIn(window, path("run.shardlens")));
    EXPECT_TRUE(shows(QStringLiteral("event 25 of 25")));
    settle();
  }
  void resize(int width, int height) {
    window.resize(width, height);
    settle();
  }
  void settle() {
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }
  Sizes sizes() const { return sizesIn(window); }
};

// Returns the part of the tab that the bar's scroll buttons cut; empty if the tab is whole.
QRect cutPart(const QTabBar& bar, int tab) {
  int room = bar.width();
  for (const auto* button : bar.findChildren<QToolButton*>()) {
    if (button->isVisible()) room = std::min(room, button->x());
  }
  const QRect rect = bar.tabRect(tab);
  const bool isCut = rect.left() < room && rect.right() >= room;
  return isCut ? rect.intersected(QRect(0, 0, room, bar.height())) : QRect();
}

// Returns the number of colours in the middle third of a part of a widget.
std::size_t coloursIn(QWidget& widget, const QRect& part) {
  const QImage image = widget.grab(part).toImage();
  std::set<QRgb> colours;
  for (int y = image.height() / 3; y < image.height() * 2 / 3; ++y) {
    for (int x = 1; x + 1 < image.width(); ++x) colours.insert(image.pixel(x, y));
  }
  return colours.size();
}

TEST(Layout, StaysWhenADocumentIsOpenedAndClosed) {
  Laid on;
  EXPECT_EQ(on.sizes().size(), 8U);
  on.find<QDockWidget>("cachesPanelDock")->close();
  on.settle();
  const Sizes before = on.sizes();
  for (int i = 0; i < 5; ++i) {
    on.window.closeDocument();
    on.settle();
    on.open();
  }
  on.open();  // replaces the open document
  EXPECT_EQ(on.sizes(), before);
}

// Exact to the pixel, also for docks in background tabs.
TEST(Layout, DoesNotDriftWhenAFileIsOpenedAgain) {
  for (const QSize size : {QSize(1680, 1050), QSize(1280, 800)}) {
    Laid on(size);
    const auto geometries = [&] {
      std::map<std::string, QRect> all;
      for (const auto* dock : on.window.findChildren<QDockWidget*>()) {
        all[dock->objectName().toStdString()] = dock->geometry();
      }
      all["shards"] = on.find<QWidget>("shardsPanel")->geometry();
      return all;
    };
    const auto before = geometries();
    for (int time = 0; time < 10; ++time) {
      on.window.closeDocument();
      on.settle();
      on.open();
      EXPECT_EQ(geometries(), before) << "time " << time << ", width " << size.width();
    }
  }
}

TEST(Layout, ClosedDockLeavesItsRoomToNeighbours) {
  Laid on;
  on.find<QDockWidget>("cachesPanelDock")->close();
  on.settle();
  const Sizes before = on.sizes();
  on.resize(1300, 800);
  on.resize(1680, 1050);
  EXPECT_EQ(on.sizes(), before);
}

TEST(Layout, StaysWhenAMessageAppears) {
  Laid on;
  const Sizes before = on.sizes();
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  on.settle();
  EXPECT_NE(on.sizes(), before);
  on.click("messageClose");
  on.settle();
  EXPECT_EQ(on.sizes(), before);
}

TEST(Layout, IsRestoredAfterASmallWindow) {
  for (const QSize size : {QSize(1680, 1050), QSize(1440, 900), QSize(1024, 700)}) {
    Laid on(size);
    const Sizes before = on.sizes();
    on.resize(900, 600);
    on.resize(800, 480);
    EXPECT_NE(on.sizes(), before);
    on.resize(size.width(), size.height());
    EXPECT_EQ(on.sizes(), before) << size.width();
  }
}

// Qt keeps the tab bar of docks that are no longer tabbed. Its line would be drawn across a panel.
TEST(Layout, EmptyTabBarsAreHidden) {
  Laid on({1440, 900});
  for (const QSize size : {QSize(1024, 700), QSize(1900, 1060)}) {
    on.resize(size.width(), size.height());
    for (auto* bar : on.window.findChildren<QTabBar*>()) {
      EXPECT_FALSE(bar->drawBase());
      EXPECT_EQ(bar->isVisible(), bar->count() > 1) << size.width();
    }
  }
}

TEST(Layout, TabBarsHaveAName) {
  Laid on({1440, 900});
  int bars = 0;
  for (const auto* bar : on.window.findChildren<QTabBar*>()) {
    if (!bar->isVisible()) continue;
    ++bars;
    EXPECT_EQ(bar->accessibleName(), QStringLiteral("Panels"));
  }
  EXPECT_GT(bars, 1);
}

// From 720 pixels on, each bar of tabs shows all its tabs. A narrower one shows whole tabs only: it
// does not draw the text of a tab that is cut.
TEST(Layout, TabBarsShowWholeTabs) {
  Laid on;
  int cut = 0;
  for (const int width : {640, 720, 860, 1000, 1180, 1200, 1440, 1680}) {
    on.resize(width, 700);
    for (auto* bar : on.window.findChildren<QTabBar*>()) {
      if (!bar->isVisible()) continue;
      const QRect last = bar->tabRect(bar->count() - 1);
      EXPECT_EQ(last.right() < bar->width(), width >= 720) << width;
      for (int tab = 0; tab < bar->count(); ++tab) {
        const int text = bar->fontMetrics().horizontalAdvance(bar->tabText(tab));
        EXPECT_GE(bar->tabRect(tab).width(), text + 8) << width;
        const QRect part = cutPart(*bar, tab);
        if (part.width() < 20) continue;
        ++cut;
        EXPECT_EQ(coloursIn(*bar, part), 1U) << width;
      }
    }
  }
  EXPECT_EQ(cut, 1);
}

// A narrow bar of tabs that cannot show all begins with those that matter.
TEST(Layout, TheFirstTabsOfANarrowWindowHaveContent) {
  Laid on({640, 600});
  ASSERT_TRUE(
      openIn(on.window, QStringLiteral(SHARDLENS_SOURCE_DIR "/resources/gallery/18-a-deadlock")));
  on.settle();
  QStringList titles;
  for (const auto* bar : on.window.findChildren<QTabBar*>()) {
    for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab) titles << bar->tabText(tab);
  }
  titles = titles.mid(0, 6);
  for (const char* title : {"Mesh", "Events", "Timeline", "Problems"}) {
    EXPECT_TRUE(titles.contains(QLatin1String(title))) << title;
  }
}

// In a run without mask buffers, Caches, Inspector and Tensors are the only group at its place.
TEST(Layout, CachesHaveTheirShareWithoutMaskBuffers) {
  struct Case {
    QSize size;
    int percent;
  };
  for (const auto& [size, percent] :
       {Case{{1680, 1050}, 30}, {{1680, 1500}, 30}, {{1280, 800}, 36}, {{1100, 700}, 36}}) {
    Laid on(size);
    ASSERT_TRUE(openIn(
        on.window, QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/python/samples/first.shardlens")));
    on.settle();
    auto* area = on.window.findChild<QMainWindow*>();
    for (const char* name : {"cachesPanelDock", "inspectorPanelDock", "tensorsPanelDock"}) {
      auto* dock = on.find<QDockWidget>(name);
      dock->raise();
      on.settle();
      int tabs = 0;
      for (const auto* bar : area->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (bar->isVisible()) tabs = std::max(tabs, bar->height());
      }
      EXPECT_NEAR(dock->height() + tabs, area->height() * percent / 100, 1)
          << name << ", " << size.width() << "x" << size.height();
    }
  }
}

TEST(Layout, SidesGrowWithTheWindow) {
  Laid on(QSize(1440, 900));
  const auto width = [&] { return on.find<QDockWidget>("eventsPanelDock")->width(); };
  const double share = width() / (1440.0 - 16);
  on.resize(1590, 1000);
  EXPECT_NEAR(width() / (1590.0 - 16), share, 0.001);
}

// Drags the separator at the right of Steps.
void widenSteps(const MainWindow& window, int by) {
  auto* area = window.findChild<QMainWindow*>();
  auto* steps = window.findChild<QDockWidget*>(QStringLiteral("eventsPanelDock"));
  const QPoint gap = steps->mapTo(area, QPoint(steps->width() + 3, 20));
  QTest::mousePress(area, Qt::LeftButton, {}, gap);
  QTest::mouseMove(area, gap + QPoint(by, 0));
  QCoreApplication::processEvents();
  QTest::mouseRelease(area, Qt::LeftButton, {}, gap + QPoint(by, 0));
  QCoreApplication::processEvents();
}

TEST(Layout, ADraggedSizeIsKept) {
  Laid on;
  auto* steps = on.find<QDockWidget>("eventsPanelDock");
  const int before = steps->width();
  widenSteps(on.window, 40);
  EXPECT_EQ(steps->width(), before + 40);
  on.resize(1024, 700);
  on.resize(1680, 1050);
  EXPECT_EQ(steps->width(), before + 40);
}

TEST(Layout, IsRestoredAtTheNextStart) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  const QString run = folder.filePath(QStringLiteral("run.shardlens"));
  writeLookup(run);
  Sizes before;
  for (int start = 0; start < 3; ++start) {
    MainWindow window(MainWindow::Memory::Keeps);
    window.show();
    EXPECT_TRUE(openIn(window, run));
    EXPECT_TRUE(QTest::qWaitFor([&] { return !window.cursor().waits(); }));
    QCoreApplication::processEvents();
    auto* caches = window.findChild<QDockWidget*>(QStringLiteral("cachesPanelDock"));
    if (start == 0) {
      window.resize(1500, 950);
      QCoreApplication::processEvents();
      caches->close();
      QCoreApplication::processEvents();
      widenSteps(window, 40);
      before = sizesIn(window);
    } else {
      EXPECT_EQ(sizesIn(window), before) << "start " << start;
      for (const QSize size : {QSize(1024, 700), QSize(1500, 950)}) {
        window.resize(size);
        QCoreApplication::processEvents();
      }
      EXPECT_EQ(sizesIn(window), before) << "start " << start;
    }
    EXPECT_TRUE(caches->isHidden());
    window.close();
  }
}

// A panel whose content grows does not move the separators.
TEST(Layout, StaysWhileThePositionMoves) {
  Laid on;
  for (const char* raised : {"whyPanelDock", "problemsPanelDock"}) {
    on.find<QDockWidget>(raised)->raise();
    on.settle();
    const Sizes before = on.sizes();
    for (EventId event = 0; event <= 25; ++event) {
      on.window.cursor().moveTo(event);
      on.window.redraw();
      on.settle();
      ASSERT_EQ(on.sizes(), before) << raised << ", event " << event;
    }
  }
}

// The default arrangement is that of the present size, not of the size at the first opening.
TEST(Layout, TheDefaultFollowsTheSizeOfTheWindow) {
  Laid wide;
  Laid grown(QSize(1024, 700));
  EXPECT_NE(grown.sizes(), wide.sizes());
  grown.resize(1680, 1050);
  EXPECT_EQ(grown.sizes(), wide.sizes());
  widenSteps(grown.window, 40);
  const auto docked = grown.sizes().size();
  grown.resize(1300, 800);
  EXPECT_EQ(grown.sizes().size(), docked) << "an arrangement of the user keeps its docks";
}

TEST(Layout, ATabbedPanelDoesNotRepeatItsTitle) {
  Laid on({1400, 900});
  const auto titleOf = [&](const char* header) {
    for (const auto* label : on.find<QWidget>(header)->findChildren<ElidedLabel*>()) {
      if (label->role() == ElidedLabel::Role::Title) return label;
    }
    return static_cast<const ElidedLabel*>(nullptr);
  };
  EXPECT_TRUE(titleOf("whyHeader")->isHidden());
  EXPECT_FALSE(titleOf("eventsHeader")->isHidden());
  on.find<QDockWidget>("whyPanelDock")->setFloating(true);
  on.settle();
  EXPECT_FALSE(titleOf("whyHeader")->isHidden());
}

TEST(Layout, UsesTabsInASmallWindow) {
  Laid on(QSize(1024, 700));
  EXPECT_GE(on.find<QWidget>("shardsPanel")->width(), 700);
  EXPECT_TRUE(on.find<QWidget>("whyPanel")->isVisible());
  auto* area = on.window.findChild<QMainWindow*>();
  EXPECT_THAT(
      area->tabifiedDockWidgets(on.find<QDockWidget>("buffersPanelDock")),
      testing::UnorderedElementsAre(
          on.find<QDockWidget>("cachesPanelDock"), on.find<QDockWidget>("meshPanelDock"),
          on.find<QDockWidget>("whyPanelDock"), on.find<QDockWidget>("notesPanelDock"),
          on.find<QDockWidget>("problemsPanelDock"), on.find<QDockWidget>("inspectorPanelDock"),
          on.find<QDockWidget>("tensorsPanelDock"), on.find<QDockWidget>("timelinePanelDock"),
          on.find<QDockWidget>("overviewPanelDock")));
}

TEST(Layout, ADockFloatsAndClosesByItsButtons) {
  Laid on;
  auto* dock = on.find<QDockWidget>("cachesPanelDock");
  QTest::mouseClick(dock->findChild<QWidget*>(QStringLiteral("float")), Qt::LeftButton);
  EXPECT_TRUE(dock->isFloating());
  QTest::mouseClick(dock->findChild<QWidget*>(QStringLiteral("float")), Qt::LeftButton);
  EXPECT_FALSE(dock->isFloating());
  QTest::mouseClick(dock->findChild<QWidget*>(QStringLiteral("close")), Qt::LeftButton);
  EXPECT_FALSE(dock->isVisible());
}

// Writes a recording of this number of events.
void writeLong(const QString& path, int events) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  for (int i = 0; i < events; ++i) {
    recorder.note(Event{});
  }
  EXPECT_TRUE(writer->close());
}

TEST(Layout, ButtonsDoNotMoveWhileTheCounterGrows) {
  Laid on(QSize(1024, 700));
  writeLong(on.path("long.shardlens"), 1200);
  ASSERT_TRUE(openIn(on.window, on.path("long.shardlens")));
  const auto* button = on.find<QPushButton>("stepButton");
  on.window.cursor().moveTo(9);
  ASSERT_TRUE(on.shows(QStringLiteral("event 9 of 1200")));
  on.settle();
  const QPoint before = button->mapTo(&on.window, QPoint());
  on.window.cursor().moveTo(1000);
  ASSERT_TRUE(on.shows(QStringLiteral("event 1000 of 1200")));
  on.settle();
  EXPECT_EQ(button->mapTo(&on.window, QPoint()), before);
}

// In a narrow window or at a large zoom, no part of the top bar covers another one or is cut, and
// each command that has a button is in the menu of "…" instead.
TEST(Layout, TopBarShowsWholePartsAtEveryWidth) {
  Laid on;
  for (const double zoom : {1.0, 1.5, 2.0}) {
    on.window.setZoom(zoom);
    for (const int width : {640, 720, 850, 1024, 1280, 1680}) {
      on.resize(width, 700);
      const auto* bar = on.find<QWidget>("topBar");
      std::vector<QRect> taken;
      for (const char* name :
           {"menuButton", "documentTitle", "documentAbout", "problemCount", "position",
            "startButton", "backButton", "stepButton", "overButton", "endButton", "continueButton",
            "playButton", "moreMoves", "legendButton", "shortcutsButton"}) {
        const auto* part = on.find<QWidget>(name);
        if (!part->isVisible()) continue;
        const QRect place(part->mapTo(bar, QPoint()), part->size());
        EXPECT_TRUE(bar->rect().contains(place)) << name << ", width " << width << ", " << zoom;
        EXPECT_GE(place.width(), part->minimumSizeHint().width()) << name << ", width " << width;
        for (const QRect& other : taken) {
          EXPECT_FALSE(other.intersects(place)) << name << ", width " << width << ", " << zoom;
        }
        taken.push_back(place);
      }
      EXPECT_NE(on.find<QWidget>("menuButton")->isVisible(),
                on.find<QWidget>("topBar")->findChild<QMenuBar*>()->isVisible());
      int hidden = 0;
      for (const char* name : {"startButton", "backButton", "stepButton", "overButton", "endButton",
                               "continueButton", "playButton"}) {
        hidden += on.find<QWidget>(name)->isVisible() ? 0 : 1;
      }
      EXPECT_EQ(on.find<QWidget>("moreMoves")->isVisible(), hidden > 0) << width;
      EXPECT_LT(hidden, 7);
    }
  }
  on.window.setZoom(1);
}

TEST(Layout, HiddenMovesAreInAMenu) {
  Laid on;
  on.resize(300, 200);
  EXPECT_EQ(on.window.size(), MainWindow::kSmallest);
  ASSERT_FALSE(on.find<QWidget>("continueButton")->isVisible());
  on.click("moreMoves");
  const auto* more = on.find<QMenu>("moreMenu");
  ASSERT_NE(more, nullptr);
  EXPECT_TRUE(more->actions().contains(on.find<QAction>("continue")));
  EXPECT_FALSE(more->actions().contains(on.find<QAction>("step")));
  on.find<QMenu>("moreMenu")->close();
}

TEST(Layout, TheFirstWindowFitsTheScreen) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  const MainWindow window(MainWindow::Memory::Keeps);
  const QSize room = window.screen()->availableGeometry().size();
  EXPECT_LE(window.width(), room.width());
  EXPECT_LE(window.height(), room.height());
}

TEST(Layout, ANewWindowOfAMaximizedOneIsOnTheScreen) {
  Laid on;
  on.window.showMaximized();
  on.settle();
  on.find<QAction>("newWindow")->trigger();
  on.settle();
  int others = 0;
  for (QWidget* each : QApplication::topLevelWidgets()) {
    auto* window = qobject_cast<MainWindow*>(each);
    if (window != nullptr && window != &on.window && window->isVisible()) {
      ++others;
      EXPECT_TRUE(window->screen()->availableGeometry().contains(window->geometry()));
      window->close();
    }
  }
  EXPECT_EQ(others, 1);
}

}  // namespace
}  // namespace shardlens
