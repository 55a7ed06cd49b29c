// Tests that everything in the catalogues appears in the window.
#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/shell/command_catalogue.h"
#include "ui/shell/dock_layout.h"
#include "ui/text/empty_journal.h"

#include <gmock/gmock.h>

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <map>
#include <set>

namespace shardlens {
namespace {

// The entries of a submenu of Go follow its title.
QStringList textsIn(const Window& on, const QString& menu) {
  for (const QAction* each : on.window.findChild<QMenuBar*>()->actions()) {
    if (each->text() == menu) {
      QStringList texts;
      for (const QAction* action : each->menu()->actions()) {
        texts << action->text();
        if (action->menu() != nullptr && menu == QStringLiteral("&Go")) {
          for (const QAction* inside : action->menu()->actions()) texts << inside->text();
        }
      }
      return texts;
    }
  }
  return {};
}

TEST(PanelCatalogue, PanelsHaveUniqueNamesAndADockInTheViewMenu) {
  Window on;
  std::set<QString> names;
  for (const PanelEntry& entry : panelCatalogue()) {
    const auto* panel = on.find<Panel>(entry.id);
    ASSERT_NE(panel, nullptr) << entry.id;
    EXPECT_EQ(panel->title(), entry.title);
    EXPECT_EQ(panel->accessibleName(), entry.title);
    EXPECT_FALSE(entry.help.isEmpty()) << entry.id;
    EXPECT_TRUE(names.insert(QLatin1String(entry.id)).second) << entry.id;
    EXPECT_TRUE(names.insert(entry.title).second) << entry.id;
    const bool docked = entry.place != Place::Middle;
    EXPECT_EQ(textsIn(on, QStringLiteral("&View")).contains(entry.title), docked) << entry.id;
  }
}

TEST(PanelCatalogue, PanelsShowEachPositionAndTheClosedState) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  for (const PanelEntry& entry : panelCatalogue()) {
    const std::unique_ptr<Panel> panel(makePanel(entry));
    panel->resize(400, 300);
    for (EventId position = 0; position <= journal.size(); ++position) {
      panel->setSnapshot(journal, states.at(position));
      EXPECT_FALSE(panel->grab().isNull());
    }
    panel->setSnapshot(emptyJournal(), {});
    EXPECT_FALSE(panel->grab().isNull());
  }
}

TEST(PanelCatalogue, PanelsOfOneAreaAreTabs) {
  QMainWindow area;
  area.resize(1900, 1000);
  DockLayout layout(area);
  for (const PanelEntry& entry : panelCatalogue()) {
    const QString name = QLatin1String(entry.id);
    if (entry.place == Place::Middle || name == QStringLiteral("notesPanel") ||
        name == QStringLiteral("overviewPanel")) {
      layout.add(entry);
    }
  }
  area.show();
  layout.reset();
  const auto docks = layout.docks();
  ASSERT_EQ(docks.size(), 2U);
  EXPECT_THAT(area.tabifiedDockWidgets(docks[0]), testing::ElementsAre(docks[1]));
  EXPECT_TRUE(docks[0]->visibleRegion().isEmpty());
  EXPECT_FALSE(docks[1]->visibleRegion().isEmpty()) << "the overview is in front";
}

TEST(CommandCatalogue, CommandsHaveUniqueIdsAndKeysAndAMenu) {
  Window on;
  const std::map<CommandMenu, QString> menus = {{CommandMenu::Go, QStringLiteral("&Go")},
                                                {CommandMenu::File, QStringLiteral("&File")},
                                                {CommandMenu::Edit, QStringLiteral("&Edit")},
                                                {CommandMenu::View, QStringLiteral("&View")},
                                                {CommandMenu::Help, QStringLiteral("&Help")}};
  std::set<QString> ids;
  std::set<QString> keys;
  for (const CommandEntry& entry : commandCatalogue()) {
    EXPECT_TRUE(ids.insert(QLatin1String(entry.id)).second) << entry.id;
    EXPECT_TRUE(textsIn(on, menus.at(entry.menu)).contains(entry.text)) << entry.id;
    for (const QKeySequence& key : entry.keys) {
      EXPECT_TRUE(keys.insert(key.toString()).second) << qPrintable(key.toString());
    }
  }
}

TEST(CommandCatalogue, TheMenusAreInOrder) {
  const Window on;
  const auto order = [&on](const char* menu) {
    return textsIn(on, QLatin1String(menu)).join(u'|').remove(u'&').toStdString();
  };
  EXPECT_EQ(order("&File"),
            "New window|Open…|Open folder…|Open steps…|Next gallery item|Previous gallery item|"
            "Open from clipboard|Follow run…|Open recent||"
            "Save recording as…|Export…|Copy step as Markdown|Run again|Check results|"
            "Compare with…|Open beside…|Unlink windows|Close||Quit");
  EXPECT_EQ(
      order("&Go"),
      "Go to start|Step back over|Previous event|Next event|Step over|Step out|Go to end||Continue|"
      "Continue back|Run to selected row|Play or pause|Faster|Slower||"
      "Next and previous|Next match|"
      "Previous match|Next problem|Previous problem|First difference|Next difference|"
      "Previous difference|Next note|Previous note|Bookmarks|Next bookmark|Previous bookmark|"
      "Add bookmark…|Remove bookmark|Restore removed bookmark||Back|Forward|Go to rank…||"
      "Toggle breakpoint|Edit breakpoints…||Stop engine");
  EXPECT_EQ(order("&View"),
            "Program|Events|Mask buffers|Caches|Inspector|Tensors|Timeline|Mesh|Why|Notes|Problems|"
            "Overview||"
            "Filter rows||Dark|Follow system theme|Animate events||DTensor notation: (S(0), R)|"
            "Named-axes notation: dp:S(0) tp:R|JAX notation: P('dp', None)||Zoom in|Zoom out|"
            "Reset zoom||Presentation||Perspective: Step|Perspective: Job|"
            "Perspective: Hang|Perspective: Compare|Reset layout");
  EXPECT_EQ(order("&Edit"),
            "Undo|Redo||Edit program…|What if placed differently…|Run changed program|"
            "Compare with previous run|Open previous run beside this one||Save program|"
            "Save program as…");
  EXPECT_EQ(order("&Help"), "Find anything…|Take tour|Open handbook|Show legend|Show shortcuts");
}

TEST(CommandCatalogue, SheetListsEveryShortcut) {
  Window on;
  const auto labels = on.find<QWidget>("shortcutSheet")->findChildren<QLabel*>();
  for (const CommandEntry& entry : commandCatalogue()) {
    const auto timesListed = [&](const QString& text) {
      return std::count_if(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->text() == text; });
    };
    EXPECT_EQ(timesListed(entry.description), entry.keys.isEmpty() ? 0 : 1) << entry.id;
  }
}

}  // namespace
}  // namespace shardlens
