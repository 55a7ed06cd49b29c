#pragma once

#include "ui/pages/command_palette.h"
#include "ui/pages/shortcuts.h"
#include "ui/shell/command_catalogue.h"

#include <QAction>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

class QMenu;
class QWidget;

namespace shardlens {

class TopBar;

// The commands of a window: a QAction for each entry of the catalogue. Menus, buttons, shortcuts
// and the sheet of shortcuts are made from them.
class Commands {
 public:
  using Handlers = std::map<std::string_view, std::function<void()>>;  // by id in the catalogue

  // Creates the actions as children of `window`, which owns them. Only commands with Needs::Nothing
  // are enabled at first. Aborts if a command has no handler.
  Commands(QWidget& window, const Handlers& handlers);

  QAction& action(std::string_view id) const;                // aborts if there is no such command
  std::vector<ShortcutSheet::Group> shortcutGroups() const;  // one group per menu
  // Titles are "Go: Step over"; omits the palette itself.
  std::vector<CommandPalette::Entry> paletteEntries() const;
  // Enables or disables the commands that need this. A non-empty `reason` is their tooltip while
  // they are disabled.
  void setAvailable(Needs needs, bool available, const QString& reason = {});
  // Appends the commands of this menu, with separators between groups. Some groups are submenus.
  void fillMenu(QMenu& menu, CommandMenu which) const;
  void addButtons(TopBar& bar) const;  // call once; each call adds the buttons again

 private:
  struct Made {
    const CommandEntry& entry;
    QAction* action;
  };
  std::vector<Made> made_;
};

}  // namespace shardlens
