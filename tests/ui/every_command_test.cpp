// Runs each command of the catalogue by each of its keys and by a click in its menu, and expects
// the same result. A command without a CommandCase fails.
#include "tests/ui/support/command_case.h"
#include "tests/ui/support/open_menu.h"
#include "ui/bridge/plain_check.h"
#include "ui/shell/command_catalogue.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

namespace shardlens::cases {
namespace {

std::map<std::string, CommandCase> allCases() {
  auto all = goCases();
  for (auto menu : {fileCases(), editCases(), viewCases()}) {
    all.merge(menu);
  }
  return all;
}

// Opens the menu on the bar and clicks the row of the command.
void chooseInMenu(Window& on, const CommandEntry& entry) {
  QMenu* menu = openMenu(on, nameOf(entry.menu));
  ASSERT_NE(menu, nullptr);
  auto* action = on.find<QAction>(entry.id);
  ASSERT_TRUE(action->isEnabled());
  clickInMenu(*menu, *action);
}

class EveryCommand : public testing::TestWithParam<std::pair<const std::string, CommandCase>> {
 protected:
  ~EveryCommand() override { PlainCheck::setEnabled(false); }

  // Runs the command in a new window, and expects the result that its case names.
  void expectDone(const CommandCase& tested, const Act& run) {
    OnCommands on;
    on.window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&on.window));
    if (tested.opened != CommandCase::Nothing) {
      qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
      ASSERT_TRUE(on.open(tested.opened == CommandCase::Scenario ? galleryScenario(kRefused)
                                                                 : recording()));
    }
    tested.before(on);
    QCoreApplication::processEvents();  // finish the layout before a click
    const auto after = QString::fromLatin1(tested.after);
    ASSERT_NE(tested.seen(on), after) << "before";
    run(on);
    QTest::qWaitFor([&] { return tested.seen(on) == after; }, 30000);
    EXPECT_EQ(tested.seen(on), after);
  }
};

TEST_P(EveryCommand, WorksByKeyAndByMenu) {
  const auto& [id, tested] = GetParam();
  const auto& all = commandCatalogue();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&id = id](const CommandEntry& each) { return each.id == id; });
  ASSERT_NE(entry, all.end());
  for (const QKeySequence& key : entry->keys) {
    SCOPED_TRACE(key.toString().toStdString());
    const QKeyCombination pressed = key[0];
    expectDone(tested,
               [pressed](OnCommands& on) { on.press(pressed.key(), pressed.keyboardModifiers()); });
  }
  SCOPED_TRACE("in the menu");
  expectDone(tested, [&entry](OnCommands& on) { chooseInMenu(on, *entry); });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryCommand, testing::ValuesIn(allCases()),
                         [](const auto& info) { return info.param.first; });

TEST(EveryCommandOfTheCatalogue, HasACaseForEachCommand) {
  const auto cases = allCases();
  for (const CommandEntry& entry : commandCatalogue()) {
    EXPECT_TRUE(cases.contains(entry.id)) << entry.id;
  }
}

}  // namespace
}  // namespace shardlens::cases
