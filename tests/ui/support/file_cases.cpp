// Test cases of the commands in File.
#include "tests/ui/support/command_case.h"
#include "tests/ui/support/file_dialog.h"
#include "ui/bridge/plain_check.h"

#include <QClipboard>

namespace shardlens::cases {

std::map<std::string, CommandCase> fileCases() {
  using enum CommandCase::Opened;
  return {
      {"newWindow",
       {Nothing, nothing,
        [](OnCommands&) { return QString::number(OnCommands::countVisibleWindows()); }, "2"}},
      {"open",
       {Nothing, [](OnCommands& on) { chooseInFileDialogs(on, recording()); }, opened,
        "06-conflicting-masks-torch-2.15.shardlens"}},
      {"openFolder",
       {Nothing, [](OnCommands& on) { chooseInFileDialogs(on, on.folder.path()); },
        [](OnCommands& on) { return on.window.property(kFileDialogTitle).toString(); },
        "Open the recordings of all processes of a run"}},
      {"nextExample",
       {Scenario, nothing, opened, "07-one-mask-for-two-lookups-before-131264.json"}},
      {"previousExample", {Scenario, nothing, opened, "05-pending-lookups-and-their-masks.json"}},
      {"paste",
       {Nothing, [](OnCommands&) { QApplication::clipboard()->setText(recording()); }, opened,
        "06-conflicting-masks-torch-2.15.shardlens"}},
      {"openSteps", {Recording, nothing, shows("openStepsDialog"), "yes"}},
      {"follow", {Nothing, nothing, shows("followDialog"), "yes"}},
      {"save",
       {Recording, [](OnCommands& on) { chooseInFileDialogs(on, on.path("kept.shardlens")); },
        [](OnCommands& on) { return text(QFile::exists(on.path("kept.shardlens"))); }, "yes"}},
      {"export", {Recording, nothing, shows("exportDialog"), "yes"}},
      {"copyStep",
       {Recording,
        [](OnCommands& on) {
          QApplication::clipboard()->clear();
          on.moveTo(14);
        },
        [](OnCommands&) {
          return text(QApplication::clipboard()->text().contains(QStringLiteral("aten.embedding")));
        },
        "yes"}},
      {"runAgain",
       {Scenario,
        [](OnCommands& on) {
          on.press(Qt::Key_End);
          EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().position() == 32; }, 30000));
        },
        place, "0"}},
      {"checkResults",
       {Scenario, [](OnCommands&) { PlainCheck::setEnabled(false); },
        [](OnCommands&) { return text(PlainCheck::isEnabled()); }, "yes"}},
      {"compare",
       {Recording, [](OnCommands& on) { chooseInFileDialogs(on, recording()); },
        shows("comparisonPage"), "yes"}},
      {"openBeside",
       {Recording, [](OnCommands& on) { chooseInFileDialogs(on, recording()); }, shows("linkBar"),
        "yes"}},
      {"unlink", {Recording, openBeside, shows("linkBar"), "no"}},
      {"close", {Recording, nothing, shows("welcomePage"), "yes"}},
      {"quit",
       {Nothing, nothing,
        [](OnCommands&) { return QString::number(OnCommands::countVisibleWindows()); }, "0"}},
  };
}

}  // namespace shardlens::cases
