// Tests that everything scales together, and returns to its former size.
#include "ui/scenes/zoom.h"

#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/on_recording.h"
#include "tests/ui/support/window.h"
#include "ui/pages/tour.h"
#include "ui/panels/panel.h"

#include <gmock/gmock.h>

#include <QDockWidget>
#include <QHeaderView>
#include <QMenuBar>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QStyleOptionButton>
#include <QTableView>

namespace shardlens {
namespace {

using Geometries = std::map<std::string, QRect>;

struct Zoomed : Window {
  Zoomed() {
    window.resize(1680, 1050);
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    EXPECT_TRUE(shows(QStringLiteral("event 25 of 25")));
    settle();
  }
  ~Zoomed() { Zoom::now().set(1); }

  static void settle() {
    for (int round = 0; round < 3; ++round) {
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents();
    }
  }
  Geometries docks() const {
    Geometries all;
    for (const auto* dock : window.findChildren<QDockWidget*>()) {
      const std::string name = dock->objectName().toStdString();
      const bool behind = dock->geometry().right() < 0;  // a background tab; Qt places it anywhere
      all[name] = behind ? QRect() : dock->geometry();
      all[name + " hidden"] = QRect(dock->isHidden(), behind, 0, 0);
    }
    return all;
  }
  QDockWidget* dock(const char* name) { return find<QDockWidget>(name); }
  // Returns the distance from Steps to the next dock at its right.
  int distanceOfDocks() {
    const int right = dock("eventsPanelDock")->geometry().right() + 1;
    int distance = window.width();
    for (const auto* each : window.findChildren<QDockWidget*>()) {
      const int there = each->geometry().left() - right;
      if (each->isVisible() && there > 0) distance = std::min(distance, there);
    }
    return distance;
  }
};

TEST(Zoom, KeysChangeAndResetTheZoom) {
  Zoomed on;
  auto* menus = on.find<QMenuBar>("");
  auto* header = on.find<PanelHeader>("shardsHeader");
  auto* table = on.find<QTableView>("candidatesView");
  const auto pixels = [](const QWidget* widget) { return widget->font().pixelSize(); };
  const Geometries before = on.docks();
  EXPECT_EQ(on.distanceOfDocks(), 8);
  EXPECT_EQ(pixels(menus), 12);
  on.press(Qt::Key_Plus, Qt::ControlModifier);
  EXPECT_EQ(Zoom::now().factor(), 1.1);
  on.press(Qt::Key_Equal, Qt::ControlModifier);
  on.press(Qt::Key_Plus, Qt::ControlModifier);
  EXPECT_EQ(Zoom::now().factor(), 1.5);
  EXPECT_EQ(pixels(menus), 18);
  on.settle();
  EXPECT_EQ(on.distanceOfDocks(), 12);
  EXPECT_EQ(pixels(on.find<QPushButton>("stepButton")), 18);
  EXPECT_EQ(pixels(on.find<QLabel>("notesText")), 18);
  EXPECT_EQ(pixels(table->horizontalHeader()), 15);
  EXPECT_EQ(table->verticalHeader()->defaultSectionSize(), 38);
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_EQ(pixels(on.find<QLabel>("notesText")), 18);
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_EQ(header->height(), 51);
  on.press(Qt::Key_Minus, Qt::ControlModifier);
  EXPECT_EQ(Zoom::now().factor(), 1.25);
  on.press(Qt::Key_0, Qt::ControlModifier);
  on.settle();
  EXPECT_EQ(Zoom::now().factor(), 1);
  EXPECT_EQ(pixels(menus), 12);
  EXPECT_EQ(header->height(), 34);
  EXPECT_EQ(on.docks(), before);
}

TEST(Zoom, HasALowestAndAHighestValue) {
  Zoomed on;
  for (int i = 0; i < 20; ++i) {
    on.press(Qt::Key_Plus, Qt::ControlModifier);
  }
  EXPECT_EQ(Zoom::now().factor(), Zoom::kLargest);
  for (int i = 0; i < 20; ++i) {
    on.press(Qt::Key_Minus, Qt::ControlModifier);
  }
  EXPECT_EQ(Zoom::now().factor(), Zoom::kSmallest);
  on.window.setZoom(qQNaN());
  EXPECT_EQ(Zoom::now().factor(), 1);
}

TEST(Zoom, FollowsTheSystemFontSize) {
  EXPECT_EQ(Zoom::ofSystem(11), 1);  // the default of desktops
  EXPECT_EQ(Zoom::ofSystem(15), 1);
  EXPECT_EQ(Zoom::ofSystem(16), 16 / 13.5);
  EXPECT_EQ(Zoom::ofSystem(27), 2);
  EXPECT_EQ(Zoom::ofSystem(200), Zoom::kLargest);
  EXPECT_EQ(Zoom::ofSystem(10.8), 0.8);
  EXPECT_EQ(Zoom::ofSystem(-1), 1);  // unknown
}

TEST(Zoom, IsSavedWithTheColourScheme) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  {
    MainWindow window(MainWindow::Memory::Keeps);
    window.setZoom(1.25);
    window.setDark(true);
    window.close();
  }
  Zoom::now().set(1);
  MainWindow window(MainWindow::Memory::Keeps);
  EXPECT_EQ(Zoom::now().factor(), 1.25);
  EXPECT_TRUE(window.isDark());
  Zoom::now().set(1);
  window.setDark(false);
}

TEST(Zoom, OfOneRunIsNotStored) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  {
    MainWindow window(MainWindow::Memory::Keeps);
    window.setZoom(1.25);
    window.setDark(false);
    window.useZoom(1.5);
    window.useDark(true);
    EXPECT_EQ(Zoom::now().factor(), 1.5);
    EXPECT_TRUE(window.isDark());
    window.close();
  }
  Zoom::now().set(1);
  MainWindow window(MainWindow::Memory::Keeps);
  EXPECT_EQ(Zoom::now().factor(), 1.25);
  EXPECT_FALSE(window.isDark());
  EXPECT_FALSE(theme().dark());
  Zoom::now().set(1);
}

TEST(ColourScheme, FollowsTheSystemUntilChosen) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  MainWindow window(MainWindow::Memory::Keeps);
  auto* asSystem = window.findChild<QAction*>(QStringLiteral("asSystem"));
  EXPECT_TRUE(asSystem->isChecked());
  EXPECT_EQ(window.isDark(), systemColourScheme() == ColourScheme::Dark);
  window.findChild<QAction*>(QStringLiteral("dark"))->trigger();
  EXPECT_TRUE(window.isDark());
  EXPECT_FALSE(asSystem->isChecked());
  QEvent changed(QEvent::ThemeChange);
  QCoreApplication::sendEvent(&window, &changed);
  EXPECT_TRUE(window.isDark());
  asSystem->trigger();
  EXPECT_EQ(window.isDark(), systemColourScheme() == ColourScheme::Dark);
  window.setDark(false);
}

TEST(ColourScheme, IsDarkIfTextIsLighterThanTheBackground) {
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(0x202020));
  palette.setColor(QPalette::WindowText, QColor(0xf0f0f0));
  EXPECT_EQ(colourSchemeOf(palette), ColourScheme::Dark);
  palette.setColor(QPalette::WindowText, QColor(0x101010));
  EXPECT_EQ(colourSchemeOf(palette), ColourScheme::Light);
}

TEST(Presentation, ShowsShardsTheFocusedPanelAndNotes) {
  Zoomed on;
  on.find<QWidget>("stepsView")->setFocus();
  on.press(Qt::Key_F4);
  on.settle();
  EXPECT_TRUE(on.window.isFullScreen());
  EXPECT_EQ(Zoom::now().factor(), 1.5);
  EXPECT_EQ(on.find<QLabel>("notesText")->font().pixelSize(), 24);
  EXPECT_TRUE(on.find<QWidget>("notesLine")->isVisible());
  EXPECT_FALSE(on.find<QWidget>("bookmarkNote")->isVisible());
  on.window.cursor().moveTo(20);
  on.window.redraw();
  EXPECT_FALSE(on.find<QWidget>("bookmarkNote")->isVisible());
  EXPECT_FALSE(on.find<QPushButton>("stepButton")->isVisible());
  EXPECT_EQ(on.find<QWidget>("topBar")->height(), 4);
  EXPECT_TRUE(on.find<QWidget>("shardsPanel")->isVisible());
  EXPECT_GT(on.find<QWidget>("shardsPanel")->width(), on.dock("eventsPanelDock")->width());
  for (const auto* dock : on.window.findChildren<QDockWidget*>()) {
    const bool chosen = dock->objectName() == QStringLiteral("eventsPanelDock") ||
                        dock->objectName() == QStringLiteral("notesPanelDock");
    EXPECT_EQ(dock->isVisible(), chosen) << dock->objectName().toStdString();
  }
}

// Writes a recording of a program of two steps, each with a note of many lines.
void writeNotes(const QString& path) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "2:tp");
  std::string words;
  for (int word = 0; word < 50; ++word) {
    words += "word ";
  }
  const std::string x = R"({"id": "x", "call": "tensor", "shape": [4], "fill": "arange",)"
                        R"( "placements": ["R"], "note": ")" +
                        words + R"("})";
  recorder.meta("scenario",
                R"({"shardlens": 1, "mesh": {"shape": [2], "names": ["tp"]}, "steps": [)" + x +
                    R"(, {"id": "y", "call": "aten.neg", "args": ["$x"], "note": "short"}]})");
  for (int step = 0; step < 2; ++step) {
    Event event;
    event.kind = EventKind::Step;
    recorder.setStep(step, /*line=*/5 + step);
    recorder.note(event);
  }
  EXPECT_TRUE(writer->close());
}

TEST(Presentation, ShowsTheWholeNoteBelowItsLine) {
  Zoomed on;
  writeNotes(on.path("notes.shardlens"));
  ASSERT_TRUE(on.open(on.path("notes.shardlens")));
  on.window.resize(on.window.screen()->size());  // as in full screen
  on.settle();
  on.press(Qt::Key_F4);
  on.settle();
  on.window.cursor().moveTo(1);
  on.window.redraw();
  on.settle();
  EXPECT_EQ(on.find<QLabel>("notesLine")->text(), QStringLiteral("1  x = arange([4], R)"));
  const auto* area =
      qobject_cast<QScrollArea*>(on.find<QLabel>("notesText")->parentWidget()->parentWidget());
  EXPECT_EQ(area->verticalScrollBar()->maximum(), 0);
  on.window.cursor().moveTo(2);
  on.window.redraw();
  EXPECT_EQ(on.find<QLabel>("notesLine")->text(), QStringLiteral("2  y = neg(x)"));
}

TEST(Presentation, EndsTheTour) {
  Zoomed on;
  on.find<QAction>("tour")->trigger();
  EXPECT_TRUE(on.find<Tour>("tour")->isVisible());
  on.press(Qt::Key_F4);
  EXPECT_FALSE(on.find<Tour>("tour")->isVisible());
}

TEST(ControlStyle, OnlyTheFocusedButtonHasTheAccent) {
  const Window on;
  const auto outline = [](QStyle::State state) {
    QPushButton button;
    QStyleOptionButton option;
    option.rect = QRect(0, 0, 60, 30);
    option.state = QStyle::State_Enabled | state;
    QImage image(option.rect.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    qApp->style()->drawControl(QStyle::CE_PushButtonBevel, &option, &painter, &button);
    return image.pixelColor(30, 0);
  };
  const QColor focused = outline(QStyle::State_HasFocus);
  EXPECT_EQ(outline(QStyle::State_HasFocus | QStyle::State_MouseOver), focused);
  EXPECT_NE(outline(QStyle::State_MouseOver), focused);
  EXPECT_NE(outline(QStyle::State_MouseOver), outline(QStyle::State_None));
}

TEST(Presentation, RestoresTheLayout) {
  Zoomed on;
  on.dock("cachesPanelDock")->close();
  on.settle();
  const Geometries before = on.docks();
  for (int round = 0; round < 5; ++round) {
    on.press(Qt::Key_F4);
    on.settle();
    EXPECT_NE(on.docks(), before);
    on.press(Qt::Key_Escape);
    on.settle();
    EXPECT_FALSE(on.window.isFullScreen());
    EXPECT_EQ(on.docks(), before) << "round " << round;
  }
  on.press(Qt::Key_F4);
  on.press(Qt::Key_F4);
  on.settle();
  EXPECT_EQ(on.docks(), before);
  EXPECT_EQ(Zoom::now().factor(), 1);
  EXPECT_FALSE(on.find<QAction>("present")->isChecked());
}

TEST(Presentation, ContinuesWithTheNextDocument) {
  Zoomed on;
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  on.find<QWidget>("stepsView")->setFocus();
  on.press(Qt::Key_F4);
  on.settle();
  writeEvents(on.path("next.shardlens"), {EventKind::Step});
  ASSERT_TRUE(on.open(on.path("next.shardlens")));
  on.settle();
  EXPECT_EQ(Zoom::now().factor(), 1.5);
  EXPECT_TRUE(on.window.isFullScreen());
  EXPECT_TRUE(on.find<QAction>("present")->isChecked());
  EXPECT_TRUE(on.dock("notesPanelDock")->isVisible());
  EXPECT_FALSE(on.dock("problemsPanelDock")->isVisible());
  EXPECT_TRUE(on.find<QWidget>("stepsView")->hasFocus());
  on.press(Qt::Key_Escape);
  on.settle();
  EXPECT_EQ(Zoom::now().factor(), 1);
  EXPECT_FALSE(on.window.isFullScreen());
  EXPECT_TRUE(on.find<QPushButton>("stepButton")->isVisible());
}

TEST(Presentation, EndsWithTheDocument) {
  Zoomed on;
  on.press(Qt::Key_F4);
  on.window.closeDocument();
  EXPECT_EQ(Zoom::now().factor(), 1);
  EXPECT_FALSE(on.find<QAction>("present")->isChecked());
  EXPECT_FALSE(on.find<QAction>("present")->isEnabled());
}

TEST(Tour, VisitsEachPartAndRestoresTheFocus) {
  Zoomed on;
  on.find<QWidget>("stepsView")->setFocus();
  QWidget* before = QApplication::focusWidget();
  on.find<QAction>("tour")->trigger();
  auto* tour = on.find<Tour>("tour");
  ASSERT_TRUE(tour->isVisible());
  EXPECT_FALSE(on.find<QPushButton>("tourBack")->isEnabled());
  QStringList titles;
  for (int stop = 0; stop < 5; ++stop) {
    EXPECT_TRUE(tour->isVisible()) << stop;
    titles << on.find<QLabel>("tourTitle")->text();
    EXPECT_TRUE(
        tour->rect().contains(on.find<QPushButton>("tourNext")->parentWidget()->geometry()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  }
  EXPECT_THAT(titles, testing::ElementsAre(
                          QStringLiteral("Program  ·  1 of 5"), QStringLiteral("Events  ·  2 of 5"),
                          QStringLiteral("Shards  ·  3 of 5"), QStringLiteral("Why  ·  4 of 5"),
                          QStringLiteral("Move forward and back  ·  5 of 5")));
  EXPECT_FALSE(tour->isVisible());
  EXPECT_EQ(QApplication::focusWidget(), before);
  on.find<QAction>("tour")->trigger();
  on.click("tourNext");
  on.click("tourBack");
  EXPECT_TRUE(on.find<QLabel>("tourTitle")->text().startsWith(QStringLiteral("Program")));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  EXPECT_TRUE(tour->isAncestorOf(QApplication::focusWidget()));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_FALSE(tour->isVisible());
}

TEST(Tour, IsShownOnce) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  const QString run = folder.filePath(QStringLiteral("run.shardlens"));
  writeLookup(run);
  for (int start = 0; start < 2; ++start) {
    MainWindow window(MainWindow::Memory::Keeps);
    window.show();
    ASSERT_TRUE(openIn(window, run));
    EXPECT_EQ(window.findChild<Tour*>()->isVisible(), start == 0);
    window.close();
  }
}

}  // namespace
}  // namespace shardlens
