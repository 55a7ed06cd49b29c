// Tests the window: its look, sheets, messages and names.
#include "core/trace/file/trace_writer.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/model_text.h"
#include "tests/ui/support/on_recording.h"
#include "ui/pages/sheet.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>

namespace shardlens {
namespace {

TEST(MainWindow, OpeningFocusesSteps) {
  Window on;
  writeLookup(on.path("run.shardlens"));
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  EXPECT_TRUE(on.find<QWidget>("stepsView")->hasFocus());
}

TEST(Window, TitleNamesTheFileAndItsState) {
  OnRecording on;
  EXPECT_EQ(
      on.window.windowTitle(),
      QStringLiteral("run.shardlens (recording) — vocabulary-parallel embedding — Shardlens[*]"));
  writeEvents(on.path("plain.shardlens"), {EventKind::Step});
  ASSERT_TRUE(on.open(on.path("plain.shardlens")));
  EXPECT_EQ(on.window.windowTitle(), QStringLiteral("plain.shardlens (recording) — Shardlens[*]"));
}

TEST(Window, ClosingShowsTheWelcomePage) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  on.window.closeDocument();
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
  EXPECT_FALSE(on.find<QDockWidget>("eventsPanelDock")->isVisible());
  EXPECT_TRUE(on.open(on.path("run.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  EXPECT_TRUE(on.find<QDockWidget>("eventsPanelDock")->isVisible());
}

TEST(Window, ResetLayoutShowsAHiddenPanel) {
  OnRecording on;
  auto* dock = on.find<QDockWidget>("cachesPanelDock");
  dock->close();
  EXPECT_FALSE(dock->isVisible());
  on.window.resetLayout();
  EXPECT_TRUE(dock->isVisible());
}

// The steps, with the titles of the redistribution of x and of the result y.
testing::Matcher<std::string> hasTitles(const char* change, const char* result) {
  return AllOf(testing::HasSubstr(change), testing::HasSubstr(result));
}

TEST(Window, EachHasItsNotation) {
  OnRecording on, other;
  const auto titles = [](Window& of) {
    return modelText(of.find<StepsPanel>("eventsPanel")->model());
  };
  const auto dtensor = hasTitles("redistribute x: R → MaskP", "result y: MaskP");
  const auto axes = hasTitles("redistribute x: tp:R → tp:MaskP", "result y: tp:MaskP");
  on.window.setNotation(view::Notation::NamedAxes);
  EXPECT_THAT(titles(on), axes);
  EXPECT_THAT(titles(other), dtensor);
  EXPECT_TRUE(on.find<QAction>("notationAxes")->isChecked());
  EXPECT_TRUE(other.find<QAction>("notationDTensor")->isChecked());
  other.window.setNotation(view::Notation::PartitionSpec);
  EXPECT_THAT(titles(on), axes);
  EXPECT_THAT(titles(other), hasTitles("redistribute x: P(None) → ", "result y: P(None, None, "));
  // A new window begins with the notation of the window that opens it.
  const auto before = QApplication::topLevelWidgets();
  on.find<QAction>("newWindow")->trigger();
  std::unique_ptr<MainWindow> opened;
  for (QWidget* each : QApplication::topLevelWidgets()) {
    auto* window = before.contains(each) ? nullptr : qobject_cast<MainWindow*>(each);
    if (window != nullptr) opened.reset(window);
  }
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(opened->notation(), view::Notation::NamedAxes);
}

TEST(Window, StoresOnlyANotationThatIsSet) {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  const auto ofNewWindow = [] { return MainWindow(MainWindow::Memory::Keeps).notation(); };
  MainWindow window(MainWindow::Memory::Keeps);
  window.setNotation(view::Notation::NamedAxes);
  EXPECT_EQ(ofNewWindow(), view::Notation::NamedAxes);
  window.useNotation(view::Notation::PartitionSpec);
  EXPECT_EQ(window.notation(), view::Notation::PartitionSpec);
  window.close();
  EXPECT_EQ(ofNewWindow(), view::Notation::NamedAxes);
}

TEST(Window, HasADarkColourScheme) {
  OnRecording on;
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_TRUE(theme().dark());
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_FALSE(theme().dark());
}

TEST(Window, LegendToggleLeavesOtherKeysWorking) {
  OnRecording on;
  on.press(Qt::Key_F1, Qt::ShiftModifier);
  auto* legend = on.find<QWidget>("legend");
  EXPECT_TRUE(legend->isVisible());
  EXPECT_FALSE(legend->grab().isNull());
  ASSERT_TRUE(QTest::qWaitForWindowActive(legend));
  QTest::keyClick(legend, Qt::Key_Right);
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  EXPECT_TRUE(legend->isVisible());
  QTest::keyClick(legend, Qt::Key_Escape);
  EXPECT_FALSE(legend->isVisible());
  on.find<QAction>("legend")->trigger();
  ASSERT_TRUE(QTest::qWaitForWindowActive(legend));
  QTest::keyClick(legend, Qt::Key_F1, Qt::ShiftModifier);
  EXPECT_FALSE(legend->isVisible());
}

TEST(Window, LegendScrollsOnALowScreen) {
  OnRecording on;
  on.window.setZoom(2);
  on.press(Qt::Key_F1, Qt::ShiftModifier);
  auto* legend = on.find<QWidget>("legend");
  EXPECT_TRUE(legend->screen()->geometry().contains(legend->geometry()));
  EXPECT_GT(legend->findChild<QScrollArea*>()->verticalScrollBar()->maximum(), 0);
  on.window.setZoom(1);
}

TEST(Window, ShortcutSheetIsShownOnce) {
  OnRecording on;
  on.press(Qt::Key_Question);
  auto* sheet = on.find<QWidget>("shortcutSheet");
  EXPECT_TRUE(sheet->isVisible());
  ASSERT_TRUE(QTest::qWaitForWindowActive(sheet));
  QTest::keyClick(sheet, Qt::Key_Question);
  EXPECT_FALSE(sheet->isVisible());
  EXPECT_EQ(on.window.findChildren<QWidget*>(QStringLiteral("shortcutSheet")).size(), 1);
}

TEST(Window, ShortcutSheetScrollsOnALowScreen) {
  OnRecording on;
  on.press(Qt::Key_Question);
  auto* sheet = on.find<QWidget>("shortcutSheet");
  ASSERT_TRUE(QTest::qWaitForWindowActive(sheet));
  EXPECT_TRUE(sheet->screen()->geometry().contains(sheet->geometry()));
  const auto labels = sheet->findChildren<QLabel*>();
  const auto isSeen = [](const QLabel* label) { return !label->visibleRegion().isEmpty(); };
  EXPECT_EQ(labels.front()->text(), QStringLiteral("Go"));
  EXPECT_TRUE(isSeen(labels.front()));
  EXPECT_FALSE(isSeen(labels.back()));
  auto* area = sheet->findChild<QScrollArea*>();
  EXPECT_TRUE(QTest::qWaitFor([area] { return area->hasFocus(); }));
  for (int page = 0; page < 5; ++page) {
    QTest::keyClick(area, Qt::Key_PageDown);
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return isSeen(labels.back()); }));
  EXPECT_EQ(labels.back()->text(), QStringLiteral("?  or  Shift+?"));
}

// A sheet that is larger than the screen begins on the screen.
// Runs with the offscreen platform's screen, 800x800, and again with one of 1024x640.
TEST(Window, SheetsStayInsideTheScreen) {
  OnRecording on;
  on.window.resize(700, 600);
  const QRect screen = on.window.screen()->availableGeometry();
  const int right = on.window.mapToGlobal(QPoint(on.window.width() - 16, 0)).x();
  const auto sheets = on.window.findChildren<Sheet*>();
  EXPECT_GE(sheets.size(), 5);
  for (const double zoom : {1.0, 1.5}) {
    on.window.useZoom(zoom);
    for (Sheet* sheet : sheets) {
      const std::string name = sheet->objectName().toStdString();
      sheet->toggle();
      EXPECT_EQ(sheet->geometry().left(), std::max(0, right - sheet->width() + 1)) << name;
      EXPECT_TRUE(screen.contains(sheet->geometry())) << name << " at " << zoom;
      sheet->toggle();
    }
  }
  on.window.useZoom(1);
}

// Presentation enlarges the type while a sheet is open.
TEST(Window, OpenSheetKeepsItsSizeWhenTheTypeGrows) {
  OnRecording on;
  auto* sheet = on.find<Sheet>("programSheet");
  sheet->toggle();
  const QRect before = sheet->geometry();
  on.window.useZoom(3);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QTest::qWait(0);
  EXPECT_EQ(sheet->geometry(), before);
  auto* area = sheet->findChild<QScrollArea*>(QString(), Qt::FindDirectChildrenOnly);
  EXPECT_GT(area->horizontalScrollBar()->maximum(), 0);
  on.window.useZoom(1);
}

TEST(Window, RefusedStepOffersToGoToIt) {
  Window on;
  {
    const auto writer = TraceWriter::create(on.path("failed.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("scenario", R"({"steps": [{"id": "x", "call": "tensor", "shape": [4]},
                                            {"id": "y", "call": "redistribute", "args": ["$x"]}]})");
    const auto note = [&](EventKind kind, const char* name, int step) {
      Event event;
      event.kind = kind;
      event.name = recorder.intern(name);
      recorder.setStep(step, /*line=*/5 + step);
      recorder.note(event);
    };
    note(EventKind::Step, "x = tensor([4])", 0);
    note(EventKind::Step, "y = redistribute(x)", 1);
    note(EventKind::Error, "MaskBuffer has been materialized: conflict", 1);
    EXPECT_TRUE(writer->close());
  }
  ASSERT_TRUE(on.open(on.path("failed.shardlens")));
  EXPECT_EQ(on.message(), QStringLiteral("Step 2, y = redistribute(x): MaskBuffer has been "
                                         "materialized: conflict"));
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 3")));
  on.press(Qt::Key_Home);
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of 3")));
  on.click("messageAction");
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 3")));
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Window, EveryControlHasAnAccessibleName) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  for (const QWidget* widget : on.window.findChildren<QWidget*>()) {
    const bool control = widget->inherits("QAbstractButton") || widget->inherits("QComboBox") ||
                         widget->inherits("QAbstractItemView") || widget->inherits("QChartView");
    const bool ours = !widget->objectName().startsWith(QStringLiteral("qt_")) &&
                      !widget->inherits("QComboBoxListView") && !widget->inherits("QHeaderView") &&
                      !widget->inherits("QTableCornerButton") &&
                      !widget->inherits("QMenuBarExtension");
    if (control && ours) {
      const bool named =
          !widget->accessibleName().isEmpty() || widget->parentWidget()->inherits("QTableView");
      EXPECT_TRUE(named) << widget->metaObject()->className() << " "
                         << qPrintable(widget->objectName());
    }
  }
}

}  // namespace
}  // namespace shardlens
