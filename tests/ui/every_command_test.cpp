// Runs each command of the catalogue by each of its keys and by a click in its menu, and expects
// the same result. A command without a Deed fails.
#include "tests/ui/support/deed.h"
#include "ui/bridge/plain_check.h"
#include "ui/shell/command_catalogue.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

namespace shardlens::deeds {
namespace {

std::map<std::string, Deed> allDeeds() {
  auto all = deedsOfGo();
  for (auto menu : {deedsOfFile(), deedsOfEdit(), deedsOfView()}) {
    all.merge(menu);
  }
  return all;
}

// Opens the menu on the bar and clicks the row of the command.
void clickInMenu(Window& on, const CommandEntry& entry) {
  auto* bar = on.window.findChild<QMenuBar*>();
  for (QAction* named : bar->actions()) {
    if (named->text() != nameOf(entry.menu)) continue;
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(named).center());
    QMenu* menu = named->menu();
    ASSERT_TRUE(QTest::qWaitFor([menu] { return menu->isVisible(); }));
    QAction* action = on.find<QAction>(entry.id);
    ASSERT_TRUE(action->isEnabled());
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
  }
}

class EveryCommand : public testing::TestWithParam<std::pair<const std::string, Deed>> {
 protected:
  ~EveryCommand() override { PlainCheck::setEnabled(false); }

  // Runs the command in a new window, and expects the result of the deed.
  void expectDone(const Deed& deed, const Act& command) {
    OnCommands on;
    on.window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&on.window));
    if (deed.opened != Deed::Nothing) {
      qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
      ASSERT_TRUE(on.open(deed.opened == Deed::Scenario ? galleryScenario(kRefused) : recording()));
    }
    deed.before(on);
    QCoreApplication::processEvents();  // finish the layout before a click
    const auto after = QString::fromLatin1(deed.after);
    ASSERT_NE(deed.seen(on), after) << "before";
    command(on);
    QTest::qWaitFor([&] { return deed.seen(on) == after; }, 30000);
    EXPECT_EQ(deed.seen(on), after);
  }
};

TEST_P(EveryCommand, DoesTheSameByAKeyAndByAClick) {
  const auto& [id, deed] = GetParam();
  const auto& all = commandCatalogue();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&id = id](const CommandEntry& each) { return each.id == id; });
  ASSERT_NE(entry, all.end());
  for (const QKeySequence& key : entry->keys) {
    SCOPED_TRACE(key.toString().toStdString());
    const QKeyCombination pressed = key[0];
    expectDone(deed,
               [pressed](OnCommands& on) { on.press(pressed.key(), pressed.keyboardModifiers()); });
  }
  SCOPED_TRACE("in the menu");
  expectDone(deed, [&entry](OnCommands& on) { clickInMenu(on, *entry); });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryCommand, testing::ValuesIn(allDeeds()),
                         [](const auto& info) { return info.param.first; });

TEST(EveryCommandOfTheCatalogue, IsTriedHere) {
  const auto deeds = allDeeds();
  for (const CommandEntry& entry : commandCatalogue()) {
    EXPECT_TRUE(deeds.contains(entry.id)) << entry.id;
  }
}

}  // namespace
}  // namespace shardlens::deeds
