// Tests two sessions that follow the README: an engineer examines a recording, and a teacher shows
// a live run. Each session is done by keyboard alone and by mouse.
#include "tests/ui/support/file_dialog.h"
#include "tests/ui/support/open_menu.h"
#include "tests/ui/support/recorded_scenario.h"
#include "ui/pages/comparison_page.h"
#include "ui/panels/panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/commands.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/steps_view.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QComboBox>
#include <QEnterEvent>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>

namespace shardlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// On rank 2 the fourth weight differs from that of the other ranks.
const char* const kWrong = R"json({
  "shardlens": 1,
  "title": "A layer with one wrong rank",
  "mesh": {"shape": [4], "names": ["tp"]},
  "steps": [
    {"id": "x", "call": "tensor", "fill": "arange", "shape": [4, 8], "placements": ["R"]},
    {"id": "w", "call": "from_locals", "placements": ["R"], "locals": [
      {"data": [1, 2, 3, 4, 5, 6, 7, 8], "dtype": "float32"},
      {"data": [1, 2, 3, 4, 5, 6, 7, 8], "dtype": "float32"},
      {"data": [1, 2, 3, WRONG, 5, 6, 7, 8], "dtype": "float32"},
      {"data": [1, 2, 3, 4, 5, 6, 7, 8], "dtype": "float32"}]},
    {"id": "y", "call": "aten.mul.Tensor", "args": ["$x", "$w"]},
    {"id": "z", "call": "aten.sum.dim_IntList", "args": ["$y", [1]]}
  ]
})json";

class Person : public testing::Test {
 protected:
  bool isOpen() {
    return QTest::qWaitFor(
        [&] { return on.window.document() != nullptr && !on.window.isOpening(); }, 30000);
  }
  bool at(EventId position) {
    const bool got =
        QTest::qWaitFor([&] { return on.window.cursor().position() == position; }, 30000);
    on.window.redraw();
    return got;
  }
  static QWidget* focus() { return QApplication::focusWidget(); }
  // Presses a key after the window has shown the result of the previous one.
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    on.window.redraw();
    const auto* active = QApplication::activeWindow();
    if (active == nullptr || !active->isVisible()) {  // a dialog or a sheet is gone
      on.window.activateWindow();
      ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
    }
    QTest::keyClick(focus() == nullptr ? &on.window : focus(), key, modifiers);
  }
  bool tabTo(const char* name) {
    for (int press = 0; press < 200; ++press) {
      if (focus() != nullptr && focus()->objectName() == QLatin1String(name)) return true;
      key(Qt::Key_Tab);
    }
    return false;
  }
  void choose(const char* menu, const char* command) {
    on.window.redraw();
    QMenu* opened = openMenu(on, QLatin1String(menu));
    ASSERT_NE(opened, nullptr);
    auto* action = on.find<QAction>(command);
    ASSERT_TRUE(action->isEnabled()) << command;
    clickInMenu(*opened, *action);
  }
  void click(QWidget* on, QPoint place) { QTest::mouseClick(on, Qt::LeftButton, {}, place); }
  static QWidget* dialog() {
    EXPECT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }));
    return QApplication::activeModalWidget();
  }
  QString label(const char* name) { return on.find<QLabel>(name)->text(); }
  testing::AssertionResult showsMessage(const char* words) {
    if (QTest::qWaitFor([&] { return on.message().startsWith(QLatin1String(words)); }, 30000)) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "it says: " << qPrintable(on.message());
  }

  Window on;
};

// Has two recordings of one program: a wrong run that was checked, and an earlier correct one.
class Engineer : public Person {
 protected:
  void SetUp() override {
    wrong = record("wrong", "9");
    right = record("right", "4");
    on.window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  }
  QString record(const char* name, const char* weight,
                 const QStringList& options = {QStringLiteral("--check")}) {
    const QString file = on.path(name) + QStringLiteral(".json");
    QFile scenario(file);
    EXPECT_TRUE(scenario.open(QIODevice::WriteOnly));
    scenario.write(QByteArray(kWrong).replace("WRONG", weight));
    scenario.close();
    return recordingOf(file, options);
  }
  std::string compared() {
    auto* sheet = on.find<ComparisonPage>("comparisonPage");
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
          return sheet->isVisible() && !sheet->summary().startsWith(QStringLiteral("Reading"));
        },
        30000));
    return sheet->summary().toStdString();
  }

  QString wrong, right;
};

TEST_F(Engineer, FindsTheWrongShardByTheKeyboard) {
  chooseInFileDialogs(on, wrong);
  key(Qt::Key_O, Qt::ControlModifier);
  ASSERT_TRUE(isOpen());
  ASSERT_TRUE(at(5)) << "the first error: copies that differ, before the result that is wrong";

  key(Qt::Key_Home);
  ASSERT_TRUE(at(0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.problems().errors() > 0; }, 30000));
  key(Qt::Key_F8);
  ASSERT_TRUE(at(5));
  EXPECT_THAT(label("problemAdvice").toStdString(),
              HasSubstr("copies of w differ: 9 on rank 2 at [3], 4 on rank 0"));
  key(Qt::Key_F8);
  ASSERT_TRUE(at(6));
  EXPECT_THAT(label("problemAdvice").toStdString(),
              HasSubstr("w differs from plain torch: got 9 on rank 2, expected 4"));

  ASSERT_TRUE(tabTo("stepsView"));
  key(Qt::Key_Slash);
  QTest::keyClicks(focus(), QStringLiteral("kind:check"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return label("stepsFilterCount").startsWith(u'4'); }, 30000));
  key(Qt::Key_Return);
  key(Qt::Key_F9);
  key(Qt::Key_Home, Qt::NoModifier);
  key(Qt::Key_F5);
  EXPECT_TRUE(showsMessage("Stopped at event 6: breakpoint"));

  ASSERT_TRUE(tabTo("shardsCanvas"));
  const auto* canvas = on.find<ShardsCanvas>("shardsCanvas");
  key(Qt::Key_Right);
  for (int row = 0; row < 3; ++row) {
    key(Qt::Key_Down);
  }
  EXPECT_THAT(canvas->accessibleDescription().toStdString(), StartsWith("rank 2, local [3] = 9"));
  key(Qt::Key_Return);
  EXPECT_THAT(on.find<QComboBox>("inspectedTensor")->currentText().toStdString(), HasSubstr("w "));

  chooseInFileDialogs(on, right);
  key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(compared(), "4 steps in both · 3 differences");
  key(Qt::Key_Escape);

  key(Qt::Key_E, Qt::ControlModifier);
  QWidget* exporting = dialog();
  ASSERT_TRUE(QTest::qWaitForWindowActive(exporting));
  QTest::keyClick(exporting, Qt::Key_Return);
  EXPECT_TRUE(showsMessage("Exported to"));
}

TEST_F(Engineer, FindsTheWrongShardByTheMouse) {
  chooseInFileDialogs(on, wrong);
  click(on.find<QPushButton>("welcomeOpen"), {5, 5});
  ASSERT_TRUE(isOpen());
  on.click("startButton");
  ASSERT_TRUE(at(0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.problems().errors() > 0; }, 30000));
  on.click("problemCount");
  auto* problems = on.find<QAbstractItemView>("problemsView");
  const QPoint row = problems->visualRect(problems->model()->index(0, 0)).center();
  click(problems->viewport(), row);
  QTest::mouseDClick(problems->viewport(), Qt::LeftButton, {}, row);
  ASSERT_TRUE(at(5));

  on.window.redraw();
  auto* canvas = on.find<ShardsCanvas>("shardsCanvas");
  const ShardCard& second = canvas->scene().cards.at(1);
  const QPointF place = canvas->rect().topLeft() + second.cells.at(3).rect.center();
  QTest::mouseDClick(canvas, Qt::LeftButton, {}, place.toPoint());
  EXPECT_THAT(canvas->accessibleDescription().toStdString(), StartsWith("rank 2, local [3] = 9"));
  EXPECT_THAT(on.find<QComboBox>("inspectedTensor")->currentText().toStdString(), HasSubstr("w "));

  chooseInFileDialogs(on, right);
  choose("&File", "compare");
  EXPECT_EQ(compared(), "4 steps in both · 3 differences");
  choose("&File", "export");
  ASSERT_NE(dialog(), nullptr);
  on.click("exportStart");
  EXPECT_TRUE(showsMessage("Exported to"));
}

TEST_F(Engineer, FindsTheWrongShardOfAnUncheckedRun) {
  chooseInFileDialogs(on, record("unchecked", "9", {}));
  key(Qt::Key_O, Qt::ControlModifier);
  ASSERT_TRUE(isOpen());
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.problems().errors() == 1; }, 30000));
  EXPECT_TRUE(showsMessage("1 error: copies of w differ: 9 on rank 2 at [3], 4 on rank 0"));
  key(Qt::Key_F8, Qt::ShiftModifier);
  ASSERT_TRUE(at(4));
  ASSERT_TRUE(tabTo("shardsCanvas"));
  key(Qt::Key_Right);
  EXPECT_THAT(on.find<ShardsCanvas>("shardsCanvas")->accessibleDescription().toStdString(),
              StartsWith("rank 2, local [0] = 1"));
}

// Shows a live run of a row-wise embedding, to explain why it needs a mask.
class Teacher : public Person {
 protected:
  void SetUp() override {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    on.window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  }
  void TearDown() override { Zoom::now().set(1); }
  QString note() { return label("notesText"); }
};

TEST_F(Teacher, ShowsAnExhibitByTheKeyboard) {
  ASSERT_TRUE(tabTo("gallery 01-vocabulary-parallel-embedding"));
  key(Qt::Key_Return);
  ASSERT_TRUE(isOpen());
  key(Qt::Key_F4);
  EXPECT_EQ(Zoom::now().factor(), 1.5);
  key(Qt::Key_N);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return note().startsWith(QStringLiteral("The table")); }, 30000));
  const EventId table = on.window.cursor().position();
  key(Qt::Key_N);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return note().startsWith(QStringLiteral("The ids are replicated")); }, 30000));
  key(Qt::Key_Left);
  EXPECT_TRUE(at(table + 1));
  key(Qt::Key_End);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().atEnd(); }, 30000));
  key(Qt::Key_Escape);
  EXPECT_EQ(Zoom::now().factor(), 1);
  key(Qt::Key_F5, Qt::ShiftModifier);
  EXPECT_TRUE(at(0));
}

TEST_F(Teacher, ShowsAnExhibitByTheMouse) {
  auto* exhibit = on.find<QAbstractButton>("gallery 01-vocabulary-parallel-embedding");
  QTest::mouseClick(exhibit, Qt::LeftButton);
  ASSERT_TRUE(isOpen());
  choose("&View", "present");
  EXPECT_EQ(Zoom::now().factor(), 1.5);
  auto* bar = on.find<QWidget>("topBar");
  EXPECT_EQ(bar->height(), 4);
  QEnterEvent reached({}, {}, {});
  QApplication::sendEvent(bar, &reached);
  choose("&View", "present");
  EXPECT_EQ(Zoom::now().factor(), 1);
  choose("&Go", "nextNote");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return note().startsWith(QStringLiteral("The table")); }, 30000));
  on.click("stepButton");
  EXPECT_TRUE(at(3));
  on.click("endButton");
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().atEnd(); }, 30000));
  choose("&File", "runAgain");
  EXPECT_TRUE(at(0));
}

}  // namespace
}  // namespace shardlens
