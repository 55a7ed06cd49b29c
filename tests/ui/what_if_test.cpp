// Tests other placements of a tensor: the sheet in which the real engine ranks them, and trying one
// in the program. Also the placement that a problem suggests.
#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/models/problem_watch.h"
#include "ui/models/table_model.h"
#include "ui/pages/what_if_sheet.h"
#include "ui/shell/program_editing.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTableView>
#include <algorithm>

namespace shardlens {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Column = view::PlacementCostsTable::Column;

const char* const kWhatIfProgram =
    R"j({"shardlens": 1, "mesh": {"shape": [4], "names": ["tp"]}, "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [8, 4], "placements": ["S(0)"]},
    {"id": "v", "call": "tensor", "fill": "arange", "shape": [8, 4], "placements": ["R"]},
    {"id": "s", "call": "aten.softmax.int", "args": ["$w", 0]},
    {"id": "z", "call": "redistribute", "args": ["$s"], "placements": ["R"]}
  ]})j";

struct OnProgram : Window {
  explicit OnProgram(const QString& program = QString::fromLatin1(kWhatIfProgram)) {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    QFile file(path("program.json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(program.toUtf8());
    file.close();
  }
  // Opens the recording of the program at its end.
  void openRun() {
    ASSERT_TRUE(open(recordingOf(path("program.json"))));
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    window.redraw();
  }
  WhatIfSheet& sheet() { return *window.findChild<WhatIfSheet*>(); }
  bool estimated() {
    return QTest::qWaitFor([&] { return !sheet().isEstimating(); }, 60000);
  }
  QString cell(int row, int column) { return sheet().model().index(row, column).data().toString(); }
  std::vector<std::string> placements() {
    std::vector<std::string> all;
    for (int row = 0; row < sheet().model().rowCount(); ++row) {
      all.push_back(cell(row, Column::Placements).toStdString());
    }
    return all;
  }
  const std::string& text() { return window.editing().changes().text(); }
};

TEST(WhatIf, TriesAndRevertsAPlacementByKeyboard) {
  OnProgram on;
  on.openRun();
  auto* lines = on.find<QListView>("programView");
  lines->setFocus();
  lines->setCurrentIndex(lines->model()->index(0, 0));
  QTest::keyClick(lines, Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(on.sheet().isVisible());
  EXPECT_TRUE(on.sheet().isEstimating());
  EXPECT_TRUE(on.find<QWidget>("whatIfProgress")->isVisible());
  EXPECT_FALSE(on.find<QPushButton>("tryPlacement")->isEnabled());
  ASSERT_TRUE(on.estimated());
  EXPECT_FALSE(on.find<QWidget>("whatIfProgress")->isVisible());
  EXPECT_EQ(on.placements(), (std::vector<std::string>{"R", "S(0)", "S(1)", "P(sum)"}));
  EXPECT_THAT(on.sheet().summary().toStdString(), StartsWith("R is cheapest: "));
  EXPECT_EQ(on.cell(1, Column::Difference), QStringLiteral("now"));

  auto* table = on.find<QTableView>("placementsView");
  EXPECT_TRUE(table->hasFocus());
  QTest::keyClick(table, Qt::Key_Down);
  QTest::keyClick(table, Qt::Key_Down);
  QTest::keyClick(table, Qt::Key_Return);
  EXPECT_FALSE(on.sheet().isVisible());
  EXPECT_TRUE(on.find<QWidget>("programSheet")->isVisible());
  EXPECT_THAT(on.text(),
              HasSubstr("\"shape\": [8, 4], \"placements\": [\"S(1)\"]},\n    {\"id\": \"v\""));
  EXPECT_TRUE(on.find<QAction>("runChanged")->isEnabled());
  on.press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(on.text(), kWhatIfProgram);
  on.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_NE(on.text(), kWhatIfProgram);
}

// At an implicit redistribution, the command asks about the input that may cause it.
TEST(WhatIf, AsksAboutTheSuspectOfAProblem) {
  OnProgram on(QStringLiteral(
      R"j({"shardlens": 1, "mesh": {"shape": [4], "names": ["tp"]}, "steps": [
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [2, 8], "placements": ["S(1)"]},
    {"id": "d", "call": "tensor", "fill": "arange", "shape": [8, 64], "placements": ["S(1)"]},
    {"id": "t", "call": "aten.relu", "args": ["$a"]},
    {"id": "y", "call": "aten.mm", "args": ["$t", "$d"]}
  ]})j"));
  on.openRun();
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.problems().warnings() > 0; }));
  const auto problems = on.window.problems().problems();
  const auto problem = std::ranges::find(*problems, "implicit-redistribution", &Problem::rule);
  ASSERT_NE(problem, problems->end());
  ASSERT_NE(problem->suspect, "");
  ASSERT_NE(problem->suspect, "t") << "the tensor of the event";
  const auto titleAt = [&](EventId event) {
    on.window.cursor().moveTo(event);
    EXPECT_TRUE(
        on.shows(QStringLiteral("event %1 of %2").arg(event).arg(on.window.cursor().size())));
    on.press(Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    const QString title = on.sheet().windowTitle();
    on.sheet().hide();
    return title;
  };
  EXPECT_EQ(titleAt(problem->events[0]), QStringLiteral("What if %1 were placed differently?")
                                             .arg(QString::fromStdString(problem->suspect)));
  EXPECT_EQ(titleAt(2), QStringLiteral("What if a were placed differently?"));
}

TEST(WhatIf, TryingAResultInsertsARedistribution) {
  OnProgram on;
  on.openRun();
  on.window.editing().whatIfStep(2);
  ASSERT_TRUE(on.estimated());
  on.find<QTableView>("placementsView")->setCurrentIndex(on.sheet().model().index(1, 0));
  ASSERT_EQ(on.cell(1, Column::Placements), QStringLiteral("S(0)"));
  on.click("tryPlacement");
  EXPECT_THAT(on.text(), HasSubstr("{\"id\": \"s_placed\", \"call\": \"redistribute\", "
                                   "\"args\": [\"$s\"], \"placements\": [\"S(0)\"]}"));
  EXPECT_THAT(on.text(), HasSubstr(R"("args": ["$s_placed"])"));
  EXPECT_THAT(on.find<QLabel>("programPart")->text().toStdString(), HasSubstr("s_placed"));
}

// Each trial is a separate change, so each can be undone.
TEST(WhatIf, EachTryIsUndoneSeparately) {
  OnProgram on;
  on.openRun();
  on.window.editing().place(QStringLiteral("w"), {Replicate{}});
  const std::string first = on.text();
  on.window.editing().place(QStringLiteral("w"), {Shard{1}});
  on.press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(on.text(), first);
  on.press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(on.text(), kWhatIfProgram);
}

TEST(WhatIf, CurrentPlacementCannotBeTried) {
  OnProgram on;
  on.openRun();
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.estimated());
  on.find<QTableView>("placementsView")->setCurrentIndex(on.sheet().model().index(1, 0));
  EXPECT_FALSE(on.find<QPushButton>("tryPlacement")->isEnabled());
  QTest::keyClick(on.find<QTableView>("placementsView"), Qt::Key_Return);
  EXPECT_TRUE(on.sheet().isVisible());
  EXPECT_EQ(on.text(), kWhatIfProgram);
}

TEST(WhatIf, IsCancelledByTheButtonAndByClosingTheSheet) {
  OnProgram on;
  on.openRun();
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.sheet().isEstimating());
  on.click("cancelWhatIf");
  EXPECT_FALSE(on.sheet().isEstimating());
  EXPECT_EQ(on.sheet().summary(), QStringLiteral("Estimate cancelled"));
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.sheet().isEstimating());
  QTest::keyClick(&on.sheet(), Qt::Key_Escape);
  EXPECT_FALSE(on.sheet().isEstimating());
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.estimated());
  EXPECT_EQ(on.sheet().model().rowCount(), 4);
}

TEST(WhatIf, UsesTheNotationOfTheWindow) {
  OnProgram on;
  on.openRun();
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.estimated());
  auto* table = on.find<QTableView>("placementsView");
  table->setCurrentIndex(on.sheet().model().index(2, 0));
  on.window.setNotation(view::Notation::NamedAxes);
  EXPECT_EQ(on.placements(), (std::vector<std::string>{"tp:R", "tp:S(0)", "tp:S(1)", "tp:P(sum)"}));
  EXPECT_THAT(on.sheet().summary().toStdString(), StartsWith("tp:R is cheapest: "));
  EXPECT_EQ(table->currentIndex().row(), 2);
  on.window.setNotation(view::Notation::PartitionSpec);
  EXPECT_EQ(on.cell(1, Column::Placements), QStringLiteral("P('tp', None)"));
  on.window.setNotation(view::Notation::DTensor);
  EXPECT_EQ(on.placements(), (std::vector<std::string>{"R", "S(0)", "S(1)", "P(sum)"}));
}

TEST(WhatIf, ReportsAnEngineError) {
  OnProgram on;
  on.openRun();
  on.window.editing().whatIf(QStringLiteral("q"));
  ASSERT_TRUE(on.estimated());
  EXPECT_EQ(
      on.sheet().summary(),
      QStringLiteral("program.json: got q, expected a tensor that a step of the program makes"));
  EXPECT_EQ(on.sheet().model().rowCount(), 0);
  qputenv("SHARDLENS_ENGINE", "/nowhere/engine");
  on.window.editing().whatIf(QStringLiteral("w"));
  ASSERT_TRUE(on.estimated());
  EXPECT_EQ(on.sheet().summary(),
            QStringLiteral("The engine could not be started: /nowhere/engine"));
}

TEST(WhatIf, IsOfferedForEachShownTensor) {
  OnProgram on;
  on.openRun();
  for (const char* panel : {"shardsPanel", "inspectorPanel"}) {
    auto* shown = on.find<QWidget>(panel);
    QContextMenuEvent event(QContextMenuEvent::Mouse, shown->rect().center(),
                            shown->mapToGlobal(shown->rect().center()));
    QApplication::sendEvent(shown, &event);
    auto* menu = shown->findChild<QMenu*>(QStringLiteral("panelMenu"));
    ASSERT_NE(menu, nullptr) << panel;
    QAction* whatIf = nullptr;
    for (QAction* each : menu->actions()) {
      if (each->objectName() == QStringLiteral("whatIfThis")) whatIf = each;
    }
    ASSERT_NE(whatIf, nullptr) << panel;
    EXPECT_EQ(whatIf->text(), QStringLiteral("What if z were placed differently…"));
    whatIf->trigger();
    menu->close();
    EXPECT_EQ(on.sheet().windowTitle(), QStringLiteral("What if z were placed differently?"));
    on.sheet().hide();
  }
}

// The command is about the tensor that Shards shows, not about that of the event.
TEST(WhatIf, CommandIsAboutTheChosenTensor) {
  OnProgram on;
  on.openRun();
  auto* choice = on.find<QComboBox>("tensorChoice");
  const int row = choice->findText(QStringLiteral("v"), Qt::MatchStartsWith);
  ASSERT_GE(row, 0);
  choice->setCurrentIndex(row);
  on.press(Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(on.sheet().windowTitle(), QStringLiteral("What if v were placed differently?"));
}

// w is S(0), but the operators that read it require another placement.
struct OnMisplaced : OnProgram {
  OnMisplaced() {
    openRun();
    const auto searched = [this] {
      return window.problems().seen() == window.cursor().journal().size();
    };
    EXPECT_TRUE(QTest::qWaitFor(searched, 30000));
    for (const Problem& each : *window.problems().problems()) {
      if (each.repair) problem = each;
    }
  }
  Problem problem;
};

TEST(TryIt, InProblems) {
  OnMisplaced on;
  ASSERT_TRUE(on.problem.repair);
  on.window.cursor().moveTo(on.problem.events.front());
  on.window.redraw();
  auto* table = on.find<QTableView>("problemsView");
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    table->setCurrentIndex(table->model()->index(row, 0));
    if (!on.find<QPushButton>("tryRepair")->isHidden()) break;
  }
  QAction* filter = nullptr;
  for (QAction* each : table->actions()) {
    if (each->objectName() == QStringLiteral("filterByThis")) filter = each;
  }
  ASSERT_NE(filter, nullptr);
  filter->trigger();
  EXPECT_FALSE(on.find<QLineEdit>("stepsFilter")->text().isEmpty());
  EXPECT_THAT(on.find<QPushButton>("tryRepair")->text().toStdString(), StartsWith("Try w as "));
  EXPECT_EQ(on.find<QPushButton>("whatIfSuspect")->text(), QStringLiteral("What if…"));
  EXPECT_EQ(on.find<QPushButton>("whatIfSuspect")->accessibleName(),
            QStringLiteral("What if w were placed differently"));
  on.find<QPushButton>("whatIfSuspect")->click();
  EXPECT_EQ(on.sheet().windowTitle(), QStringLiteral("What if w were placed differently?"));
  on.sheet().hide();
  on.find<QPushButton>("tryRepair")->click();
  EXPECT_TRUE(on.find<QWidget>("programSheet")->isVisible());
  EXPECT_THAT(on.text(),
              HasSubstr("\"placements\": [\"" + toText(on.problem.repair->placements.front()) +
                        "\"]},\n    {\"id\": \"v\""));
}

TEST(TryIt, InWhyForAnInput) {
  OnMisplaced on;
  ASSERT_TRUE(on.problem.repair);
  const Journal& journal = on.window.cursor().journal();
  EventId call = 1;
  while (journal.at(call).kind != EventKind::Operator) ++call;
  on.window.cursor().moveTo(call);
  on.window.redraw();
  ASSERT_FALSE(on.find<QWidget>("cheaperPlacement")->isHidden());
  on.find<QPushButton>("tryCheaper")->click();
  EXPECT_NE(on.text(), kWhatIfProgram);
  on.window.cursor().moveTo(journal.size());
  on.window.redraw();
  EXPECT_TRUE(on.find<QWidget>("cheaperPlacement")->isHidden());
}

}  // namespace
}  // namespace shardlens
