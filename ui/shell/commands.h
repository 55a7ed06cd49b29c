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

// The commands of a window: an action for each entry of the catalogue, of which menus, buttons,
// keys and the sheet of keys are made.
class Commands {
 public:
  using Handlers =
      std::map<std::string_view, std::function<void()>>;  // by the ids of the catalogue

  // Each command has to have a handler.
  Commands(QWidget& window, const Handlers& handlers);

  QAction& action(std::string_view id) const;
  std::vector<ShortcutSheet::Group> shortcutGroups() const;  // a menu each
  // "Go: Step over" and so on, but for the palette itself.
  std::vector<CommandPalette::Entry> paletteEntries() const;
  // Whether there is what some commands need.
  // With the reason why not, where there is more to say.
  void setAvailable(Needs needs, bool available, const QString& whyNot = {});
  void fillMenu(QMenu& menu, CommandMenu which) const;
  void addButtons(TopBar& bar) const;

 private:
  struct Made {
    const CommandEntry& entry;
    QAction* action;
  };
  std::vector<Made> made_;
};

}  // namespace shardlens
