// Test cases of the commands in Edit.
#include "tests/ui/support/command_case.h"
#include "tests/ui/support/file_dialog.h"
#include "ui/shell/program_editing.h"

#include <QLineEdit>
#include <QListView>

namespace shardlens::cases {
namespace {

QString mesh(OnCommands& on) {
  auto* line = on.find<QLineEdit>("field-mesh");
  return line == nullptr ? QString() : line->text();
}

// Changes the mesh of the program to two ranks.
void changeMesh(OnCommands& on) {
  on.press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
  auto* parts = on.find<QListView>("programParts");
  parts->setCurrentIndex(parts->model()->index(0, 0));
  auto* line = on.find<QLineEdit>("field-mesh");
  line->setFocus();
  line->selectAll();
  QTest::keyClicks(line, QStringLiteral("2:tp"));
}

void runOnTwoRanks(OnCommands& on) {
  changeMesh(on);
  on.press(Qt::Key_R, Qt::ControlModifier);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.editing().isChangedRun(); }, 60000));
}

}  // namespace

std::map<std::string, CommandCase> editCases() {
  using enum CommandCase::Opened;
  const Probe saved = [](OnCommands& on) { return text(QFile::exists(on.path("kept.json"))); };
  return {
      {"undo", {Recording, changeMesh, mesh, "4:tp"}},
      {"redo",
       {Recording,
        [](OnCommands& on) {
          changeMesh(on);
          on.press(Qt::Key_Z, Qt::ControlModifier);
        },
        mesh, "2:tp"}},
      {"changeProgram", {Recording, nothing, shows("programSheet"), "yes"}},
      {"whatIf", {Recording, at(14), shows("whatIfSheet"), "yes"}},
      {"runChanged",
       {Recording, changeMesh,
        [](OnCommands& on) { return text(on.window.editing().isChangedRun()); }, "yes"}},
      {"compareEarlier", {Recording, runOnTwoRanks, shows("comparisonPage"), "yes"}},
      {"openEarlier", {Recording, runOnTwoRanks, shows("linkBar"), "yes"}},
      {"saveProgram",
       {Recording,
        [](OnCommands& on) {
          changeMesh(on);
          chooseInFileDialogs(on, on.path("kept.json"));
        },
        saved, "yes"}},
      {"saveProgramAs",
       {Recording, [](OnCommands& on) { chooseInFileDialogs(on, on.path("kept.json")); }, saved,
        "yes"}},
  };
}

}  // namespace shardlens::cases
