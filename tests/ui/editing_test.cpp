// Tests editing the program of the open document, with the real engine.
#include "tests/ui/support/window.h"
#include "ui/pages/comparison_page.h"
#include "ui/pages/program_preview.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/window_link.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTimer>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

const std::string kProgram = R"j({
  "shardlens": 1, // as it was written
  "mesh": {"shape": [4], "names": ["tp"]},
  "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [8, 3], "placements": ["S(0)"]},
    {"id": "z", "call": "redistribute", "args": ["$w"], "placements": [ "R" ]} // whole
  ]
})j";

std::string changedTo(const std::string& from, const std::string& to) {
  return std::string(kProgram).replace(kProgram.find(from), from.size(), to);
}

struct Editing : Window {
  Editing() {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    QFile file(path("program.json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(kProgram.c_str());
    file.close();
  }
  // Selects a step's fields by keyboard.
  void choose(int row) {
    press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    auto* parts = find<QListView>("programParts");
    parts->setFocus();
    QTest::keyClick(parts, Qt::Key_Home);
    for (int i = 0; i < row; ++i) QTest::keyClick(parts, Qt::Key_Down);
  }
  void type(const char* field, const QString& text) {
    auto* line = field_(field);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
  }
  QLineEdit* field_(const char* name) {
    if (auto* line = find<QLineEdit>(name)) return line;
    return find<QComboBox>(name)->lineEdit();
  }
  QString mistake(const char* name) { return find<QLabel>(name)->text(); }
  QString estimated() {
    auto* preview = window.findChild<ProgramPreview*>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !preview->isEstimating(); }, 60000));
    return preview->summary();
  }
  const std::string& text() { return window.editing().changes().text(); }
  bool runs() {
    return QTest::qWaitFor([&] { return window.editing().isChangedRun(); }, 60000);
  }
  std::string inFile() {
    QFile file(path("program.json"));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll().toStdString();
  }
  bool isEnabled(const char* command) { return find<QAction>(command)->isEnabled(); }
  void answer(QMessageBox::StandardButton button) {
    QTimer::singleShot(0, &window, [this, button] {
      QMessageBox* box = nullptr;
      ASSERT_TRUE(QTest::qWaitFor([&] {
        box = find<QMessageBox>("unsavedProgram");
        return box != nullptr && box->isVisible();
      }));
      QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
  }
};

TEST(ProgramEditing, FixesAMistakeAndComparesByKeyboard) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  EXPECT_FALSE(on.isEnabled("undo"));
  on.choose(2);
  on.type("field-placement-on-tp", QStringLiteral("S(x"));
  EXPECT_THAT(on.mistake("mistake-placement-on-tp").toStdString(), HasSubstr("S(x"));
  EXPECT_EQ(on.text(), kProgram);
  EXPECT_FALSE(on.isEnabled("runChanged"));
  on.type("field-placement-on-tp", QStringLiteral("S(0)"));
  EXPECT_EQ(on.mistake("mistake-placement-on-tp"), QString());
  EXPECT_EQ(on.text(), changedTo("\"R\"", "\"S(0)\""));
  EXPECT_TRUE(on.isEnabled("runChanged"));
  EXPECT_THAT(on.estimated().toStdString(),
              HasSubstr("The changed program sends nothing: 24 B less"));

  QTest::keyClick(on.field_("field-placement-on-tp"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(on.text(), kProgram);
  EXPECT_EQ(on.field_("field-placement-on-tp")->text(), QStringLiteral("R"));
  EXPECT_FALSE(on.window.isWindowModified());
  EXPECT_FALSE(on.isEnabled("runChanged"));
  on.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(on.text(), changedTo("\"R\"", "\"S(0)\""));
  EXPECT_TRUE(on.window.isWindowModified());

  on.press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(on.runs());
  EXPECT_EQ(on.window.document()->journal().meta("scenario"), on.text());
  EXPECT_EQ(on.inFile(), kProgram);
  on.press(Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
  ComparisonPage& comparison = on.window.comparison();
  ASSERT_TRUE(QTest::qWaitFor([&] { return comparison.model().rowCount() > 0; }, 60000));
  EXPECT_THAT(comparison.summary().toStdString(), HasSubstr("2 steps in both"));

  on.press(Qt::Key_S, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_EQ(on.inFile(), changedTo("\"R\"", "\"S(0)\""));
  EXPECT_FALSE(on.window.isWindowModified());
}

TEST(ProgramEditing, PreviousRunOpensBesideTheChangedRun) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.choose(2);
  on.type("field-placement-on-tp", QStringLiteral("S(0)"));
  on.press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(on.runs());
  EXPECT_THAT(on.message().toStdString(), HasSubstr("run of the changed program"));
  on.press(Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return on.window.link() != nullptr && on.window.link()->isCompared(); }, 60000));
  MainWindow& other = on.window.link()->second();
  EXPECT_EQ(other.document()->journal().meta("scenario"), kProgram);
  EXPECT_EQ(other.document()->engine(), nullptr);
  EXPECT_TRUE(on.window.link()->hasDifferences());
  EXPECT_EQ(on.window.document()->journal().meta("scenario"), changedTo("\"R\"", "\"S(0)\""));
  delete &other;
}

// The document is closed while the changed program starts, so that no earlier run is kept.
TEST(ProgramEditing, RunWithoutAnEarlierRunOffersNoComparison) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.choose(2);
  on.type("field-placement-on-tp", QStringLiteral("S(0)"));
  on.press(Qt::Key_R, Qt::ControlModifier);
  on.window.closeDocument();
  ASSERT_TRUE(on.runs());
  const QString message = on.message();
  EXPECT_THAT(message.toStdString(), HasSubstr("run of the changed program"));
  EXPECT_FALSE(on.find<QPushButton>("messageAction")->isVisible());
  on.window.editing().openEarlier();
  on.window.editing().compareEarlier();
  EXPECT_EQ(on.message(), message);
  EXPECT_EQ(on.window.link(), nullptr);
}

TEST(ProgramEditing, ChangesEndWithTheDocumentIfTheRunIsCancelled) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.choose(2);
  on.type("field-placement-on-tp", QStringLiteral("S(0)"));
  on.press(Qt::Key_R, Qt::ControlModifier);
  on.window.host().cancelOpening();
  on.window.closeDocument();
  EXPECT_FALSE(on.window.editing().changes().hasProgram());
}

TEST(ProgramEditing, ChangesAPlacementByMouse) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.window.redraw();
  auto* lines = on.find<QListView>("programView");
  lines->setCurrentIndex(lines->model()->index(0, 0));
  on.find<QAction>("changeStep")->trigger();
  on.type("field-shape", QStringLiteral("[16, 3]"));
  EXPECT_EQ(on.text(), changedTo("[8, 3]", "[16, 3]"));
  on.click("undoButton");
  EXPECT_EQ(on.text(), kProgram);
  on.click("redoButton");
  on.click("runChangedButton");
  ASSERT_TRUE(on.runs());
  EXPECT_EQ(on.window.document()->journal().meta("scenario"), changedTo("[8, 3]", "[16, 3]"));
}

TEST(ProgramEditing, NamesTheStepThatADryRunRefuses) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.choose(2);
  on.type("field-placement-on-tp", QStringLiteral("S(5)"));
  EXPECT_THAT(on.estimated().toStdString(), HasSubstr("The dry run refused step 2"));
}

TEST(ProgramEditing, ConfirmsBeforeDiscardingChanges) {
  Editing on;
  ASSERT_TRUE(on.open(on.path("program.json")));
  on.choose(0);
  on.type("field-mesh", QStringLiteral("2:tp"));
  on.answer(QMessageBox::Cancel);
  on.press(Qt::Key_W, Qt::ControlModifier);
  ASSERT_NE(on.window.document(), nullptr);
  EXPECT_TRUE(on.window.isWindowModified());
  on.answer(QMessageBox::Discard);
  on.find<QAction>("close")->trigger();
  EXPECT_EQ(on.window.document(), nullptr);
  EXPECT_FALSE(on.window.isWindowModified());
  EXPECT_EQ(on.inFile(), kProgram);
}

TEST(ProgramEditing, ChangedRecordingBecomesALiveRun) {
  Editing on;
  QProcess engine;
  engine.start(QStringLiteral(SHARDLENS_ENGINE),
               {QStringLiteral("run"), QStringLiteral("--record"), on.path("run.shardlens"),
                on.path("program.json")});
  ASSERT_TRUE(engine.waitForFinished(60000));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  on.choose(0);
  on.type("field-mesh", QStringLiteral("2x2:dp,tp"));
  on.press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(on.runs());
  EXPECT_NE(on.window.document()->engine(), nullptr);
  EXPECT_EQ(on.window.document()->journal().meta("mesh"), "2x2:dp,tp");
}

}  // namespace
}  // namespace shardlens
