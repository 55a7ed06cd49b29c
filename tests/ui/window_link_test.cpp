// Tests two linked windows, whose positions follow each other.
#include "ui/shell/window_link.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/models/steps_model.h"
#include "ui/panels/steps_panel.h"
#include "ui/shell/side_by_side.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDir>
#include <QTimer>
#include <memory>

namespace shardlens {
namespace {

// Records the lookup, then a step whose result has this placement.
void recordRun(Recorder& recorder, const Placement& placement) {
  recordLookup(recorder);
  recorder.setStep(-1, 0);
  const Span step(recorder, makeStep(recorder, "q = last()"));
  const TensorId tensor = recorder.addTensor("q", {DType::Float32, {8}, {placement}});
  recorder.note(makeResult(recorder, "q", tensor, 8, 0));
}

// Records a step of two events that only the second recording has.
void recordMore(Recorder& recorder) {
  const Span step(recorder, makeStep(recorder, "more()"));
  recorder.note(makeOperator(recorder, "aten.relu"));
}

template <class Record>
void write(const QString& path, const Record& record) {
  auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  record(recorder);
  ASSERT_TRUE(writer->close());
  recorder.removeSinks();
}

struct Beside : Window {
  Beside() {
    QGuiApplication::setQuitOnLastWindowClosed(false);
    write(path("here.shardlens"), [](Recorder& recorder) { recordRun(recorder, Shard{0}); });
    write(path("there.shardlens"), [](Recorder& recorder) {
      recordMore(recorder);
      recordRun(recorder, Replicate{});
    });
    EXPECT_TRUE(open(path("here.shardlens")));
    size = window.cursor().size();
  }
  ~Beside() {
    for (MainWindow* each : windows()) {
      if (each != &window) {
        delete each;
      }
    }
  }
  static QList<MainWindow*> windows() {
    QList<MainWindow*> all;
    for (QWidget* each : QApplication::topLevelWidgets()) {
      if (auto* window = qobject_cast<MainWindow*>(each); window != nullptr && each->isVisible()) {
        all << window;
      }
    }
    return all;
  }
  bool isCompared() {
    return QTest::qWaitFor(
        [this] { return window.link() != nullptr && window.link()->isCompared(); }, 30000);
  }
  MainWindow& beside(const char* name = "there.shardlens") {
    window.openBeside(path(name));
    EXPECT_TRUE(isCompared());
    return window.link()->second();
  }
  static bool isAt(MainWindow& which, EventId position) {
    return QTest::qWaitFor([&] { return which.cursor().position() == position; });
  }
  // Activates the window and presses a key, after it has shown earlier changes.
  static void press(MainWindow& which, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    which.redraw();
    which.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&which));
    QTest::keyClick(&which, key, modifiers);
    which.redraw();
  }
  QString linkText() { return window.linkBar().text(); }

  EventId size = 0;
};

constexpr EventId kMore = 2;  // events at the start of the second recording only

QString linkText(MainWindow& window) { return window.linkBar().text(); }

TEST(WindowLink, StepMovesBothWindows) {
  Beside on;
  MainWindow& there = on.beside();
  EXPECT_TRUE(on.isAt(there, on.size + kMore));  // where the first one is
  on.press(on.window, Qt::Key_Home);
  on.press(on.window, Qt::Key_Right);
  EXPECT_TRUE(on.isAt(there, 1 + kMore));
  on.press(on.window, Qt::Key_Right);
  EXPECT_TRUE(on.isAt(there, 2 + kMore));
  on.press(there, Qt::Key_Right);
  EXPECT_TRUE(on.isAt(on.window, 3));
  on.press(there, Qt::Key_Home);
  EXPECT_TRUE(on.isAt(on.window, 0));
}

TEST(WindowLink, BarNamesThePartnerAndTheDifference) {
  Beside on;
  MainWindow& there = on.beside();
  EXPECT_EQ(on.linkText(), QStringLiteral("A · linked with there.shardlens (B) · "
                                          "q: f32[8] S(0) in A, f32[8] R in B"));
  EXPECT_EQ(linkText(there), QStringLiteral("B · linked with here.shardlens (A) · "
                                            "q: f32[8] S(0) in A, f32[8] R in B"));
  on.press(on.window, Qt::Key_Home);
  EXPECT_TRUE(on.isAt(there, 0));
  EXPECT_TRUE(on.window.linkBar().isVisible());
  EXPECT_EQ(on.linkText(), QStringLiteral("A · linked with there.shardlens (B) · "
                                          "2 differences, the first only in B"));
}

TEST(WindowLink, MissingEventKeepsTheOtherPosition) {
  Beside on;
  MainWindow& there = on.beside();
  on.press(on.window, Qt::Key_Home);
  EXPECT_TRUE(on.isAt(there, 0));
  on.press(there, Qt::Key_Right);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return linkText(there).contains(QStringLiteral("only in this recording")); }));
  EXPECT_EQ(on.window.cursor().position(), 0);
  EXPECT_EQ(linkText(there),
            QStringLiteral("B · linked with here.shardlens (A) · only in this recording; "
                           "here.shardlens stays at event 0 · only in B: more()"));
  EXPECT_EQ(on.linkText(),
            QStringLiteral("A · linked with there.shardlens (B) · there.shardlens is at "
                           "an event that this recording does not contain · only in B: more()"));
  on.press(there, Qt::Key_Right);
  on.press(there, Qt::Key_Right);
  EXPECT_TRUE(on.isAt(on.window, 1));
}

TEST(WindowLink, DifferenceCommandsMoveBothWindows) {
  Beside on;
  MainWindow& there = on.beside();
  on.press(on.window, Qt::Key_F7, Qt::ControlModifier);  // the step that only B has
  EXPECT_TRUE(on.isAt(there, 1));
  EXPECT_TRUE(on.isAt(on.window, 0));
  on.press(there, Qt::Key_F7);
  EXPECT_TRUE(on.isAt(there, on.size + kMore));
  EXPECT_TRUE(on.isAt(on.window, on.size));
  on.press(there, Qt::Key_F7);  // no further difference
  EXPECT_TRUE(on.isAt(there, on.size + kMore));
  on.press(on.window, Qt::Key_F7, Qt::ShiftModifier);
  EXPECT_TRUE(on.isAt(there, 1));
  QTest::mouseClick(there.findChild<QPushButton*>(QStringLiteral("linkDifference")),
                    Qt::LeftButton);
  EXPECT_TRUE(on.isAt(there, 1));
  on.press(on.window, Qt::Key_Left, Qt::AltModifier);  // back to the previous position
  EXPECT_TRUE(on.isAt(on.window, on.size));
}

TEST(WindowLink, StepsMarksDifferencesInBothWindows) {
  using Difference = StepsModel::Difference;
  Beside on;
  MainWindow& there = on.beside();
  const auto marked = [](MainWindow& window, EventId event) {
    const auto& model = window.findChild<StepsPanel*>()->model();
    return static_cast<Difference>(
        model.data(model.indexOf(event), StepsModel::DiffersRole).toInt());
  };
  EXPECT_EQ(marked(there, 1), Difference::First);
  EXPECT_EQ(marked(there, 2), Difference::None);
  EXPECT_EQ(marked(there, on.size + kMore), Difference::One);
  EXPECT_EQ(marked(there, on.size + kMore - 1), Difference::One);  // its parent
  EXPECT_EQ(marked(on.window, 1), Difference::None);
  EXPECT_EQ(marked(on.window, on.size), Difference::One);
  const auto& model = there.findChild<StepsPanel*>()->model();
  EXPECT_EQ(model.data(model.indexOf(1), Qt::AccessibleTextRole).toString(),
            QStringLiteral("more(), first difference from the linked window"));
  on.press(on.window, Qt::Key_U, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(marked(there, 1), Difference::None);
}

TEST(WindowLink, UnlinkSeparatesThePositions) {
  Beside on;
  MainWindow& there = on.beside();
  on.press(on.window, Qt::Key_Home);
  EXPECT_TRUE(on.isAt(there, 0));
  QTest::mouseClick(there.findChild<QPushButton*>(QStringLiteral("linkEnd")), Qt::LeftButton);
  EXPECT_EQ(on.window.link(), nullptr);
  EXPECT_EQ(there.link(), nullptr);
  EXPECT_FALSE(on.window.linkBar().isVisible());
  EXPECT_FALSE(there.linkBar().isVisible());
  EXPECT_FALSE(on.find<QAction>("unlink")->isEnabled());
  EXPECT_FALSE(on.find<QAction>("nextDifference")->isEnabled());
  on.press(on.window, Qt::Key_Right);
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of %1").arg(on.size)));
  EXPECT_EQ(there.cursor().position(), 0);
}

TEST(WindowLink, EndsWhenAWindowCloses) {
  {
    Beside on;
    MainWindow& there = on.beside();
    there.close();
    EXPECT_EQ(on.window.link(), nullptr);
    EXPECT_FALSE(on.window.linkBar().isVisible());
  }
  {
    Beside on;
    MainWindow& there = on.beside();
    on.press(on.window, Qt::Key_W, Qt::ControlModifier);
    EXPECT_EQ(there.link(), nullptr);
    EXPECT_NE(there.document(), nullptr);
    on.press(there, Qt::Key_Home);
    EXPECT_TRUE(on.isAt(there, 0));
  }
  {
    Beside on;
    QPointer<MainWindow> there = &on.beside();
    delete there;
    EXPECT_EQ(on.window.link(), nullptr);
  }
}

TEST(WindowLink, FailedOpeningShowsAMessageAndNoWindow) {
  Beside on;
  const QString absent = on.path("absent.shardlens");
  on.window.openBeside(absent);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.message() == absent + QStringLiteral(": file not found"); }));
  EXPECT_EQ(on.window.link(), nullptr);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.windows().size() == 1; }));

  QFile damaged(on.path("damaged.shardlens"));
  ASSERT_TRUE(damaged.open(QIODevice::WriteOnly));
  damaged.close();
  on.window.openBeside(damaged.fileName());
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.link() == nullptr; }));
  EXPECT_TRUE(on.message().contains(QStringLiteral("damaged.shardlens")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.windows().size() == 1; }));
}

TEST(WindowLink, CanBeEndedBeforeItHasBegun) {
  Beside on;
  on.window.openBeside(on.path("there.shardlens"));
  QString text;
  const auto inNextTurn = [](const auto& act) { QTimer::singleShot(0, qApp, act); };
  inNextTurn([&] { text = on.linkText(); });
  EXPECT_TRUE(QTest::qWaitFor([&] { return !text.isEmpty(); }));
  EXPECT_EQ(text, QStringLiteral("A · Opening there.shardlens beside this window…"));
  on.click("linkEnd");
  EXPECT_EQ(on.window.link(), nullptr);
  ASSERT_EQ(on.windows().size(), 2);

  on.window.openBeside(on.path("there.shardlens"));
  ASSERT_NE(on.window.link(), nullptr);
  delete &on.window.link()->second();
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.link() == nullptr; }));

  on.window.openBeside(on.path("there.shardlens"));
  inNextTurn([&] { on.window.link()->second().host().cancelOpening(); });
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.link() == nullptr; }));
}

TEST(WindowLink, NewLinkReusesTheWindow) {
  Beside on;
  MainWindow& there = on.beside();
  ASSERT_TRUE(QDir(on.folder.path()).mkdir(QStringLiteral("other")));
  ASSERT_TRUE(QFile::copy(on.path("here.shardlens"), on.path("other/here.shardlens")));
  MainWindow& again = on.beside("other/here.shardlens");
  EXPECT_EQ(&again, &there);
  EXPECT_EQ(on.windows().size(), 2);
  EXPECT_EQ(on.linkText(),
            QStringLiteral("A · linked with other/here.shardlens (B) · no differences"));
  EXPECT_FALSE(on.find<QAction>("firstDifference")->isEnabled());
  // The second window opens a third one beside itself, and the link with the first ends.
  there.openBeside(on.path("there.shardlens"));
  EXPECT_EQ(on.window.link(), nullptr);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.windows().size() == 3; }));
}

TEST(WindowLink, StartsAtTheRequestedPosition) {
  Beside on;
  on.window.openBeside(on.path("there.shardlens"), 3 + kMore);
  ASSERT_TRUE(on.isCompared());
  EXPECT_TRUE(on.isAt(on.window, 3));
  EXPECT_EQ(on.window.link()->second().cursor().position(), 3 + kMore);
}

TEST(WindowLink, ComparesEventsRecordedLater) {
  Beside on;
  auto writer = TraceWriter::create(on.path("growing.shardlens").toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recordMore(recorder);
  ASSERT_TRUE(writer->flush());
  MainWindow& there = on.beside("growing.shardlens");
  EXPECT_EQ(there.cursor().position(), kMore);
  recordRun(recorder, Shard{0});
  ASSERT_TRUE(writer->flush());
  EXPECT_TRUE(on.isAt(there, on.size + kMore)) << "where the first one is";
  ASSERT_TRUE(writer->close());
  recorder.removeSinks();
}

TEST(SideBySide, TwoWindowsShareTheScreen) {
  const QSize smallest(800, 480);
  const auto wide = sideBySide(QRect(10, 20, 1920, 1000), smallest);
  EXPECT_EQ(wide.first, QRect(10, 20, 960, 1000));
  EXPECT_EQ(wide.second, QRect(970, 20, 960, 1000));
  const auto high = sideBySide(QRect(0, 0, 1599, 960), smallest);
  EXPECT_EQ(high.first, QRect(0, 0, 1599, 480));
  EXPECT_EQ(high.second, QRect(0, 480, 1599, 480));
  const auto small = sideBySide(QRect(0, 0, 1280, 800), smallest);
  EXPECT_EQ(small.first, QRect(0, 0, 800, 800));
  EXPECT_EQ(small.second, QRect(480, 0, 800, 800));
  EXPECT_EQ(sideBySide(QRect(0, 0, 640, 400), smallest).second, QRect(0, 0, 640, 400));
}

// The second window shows itself in a later turn of the event loop.
TEST(WindowLink, OpeningOutlivesTheFirstWindow) {
  Beside on;
  auto first = std::make_unique<MainWindow>(MainWindow::Memory::Forgets);
  first->openBeside(on.path("there.shardlens"));
  first.reset();
  EXPECT_TRUE(QTest::qWaitFor([&] { return Beside::windows().size() == 2; }));
}

}  // namespace
}  // namespace shardlens
