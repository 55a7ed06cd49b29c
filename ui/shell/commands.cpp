#include "ui/shell/commands.h"

#include "ui/shell/top_bar.h"

#include <QMenu>
#include <QWidget>
#include <algorithm>

namespace shardlens {

Commands::Commands(QWidget& window, const Handlers& handlers) {
  for (const CommandEntry& entry : commandCatalogue()) {
    auto* action = new QAction(entry.text, &window);
    action->setObjectName(QLatin1String(entry.id));
    action->setToolTip(entry.description);
    action->setShortcuts(entry.keys);
    action->setCheckable(entry.isSwitch);
    action->setEnabled(entry.needs == Needs::Nothing);
    window.addAction(action);
    const auto handler = handlers.find(entry.id);
    if (handler == handlers.end()) {
      qFatal("the command %s has no handler", entry.id);
    }
    QObject::connect(action, &QAction::triggered, &window, handler->second);
    made_.push_back({entry, action});
  }
}

QAction& Commands::action(std::string_view id) const {
  const auto found = std::find_if(made_.begin(), made_.end(),
                                  [id](const Made& each) { return id == each.entry.id; });
  if (found == made_.end()) {
    qFatal("unknown command %s", std::string(id).c_str());
  }
  return *found->action;
}

std::vector<ShortcutSheet::Group> Commands::shortcutGroups() const {
  std::vector<ShortcutSheet::Group> groups;
  for (const auto& [entry, action] : made_) {
    const QString title = nameOf(entry.menu).remove(u'&');
    if (groups.empty() || groups.back().title != title) {
      groups.push_back({title, {}});
    }
    groups.back().actions << action;
  }
  return groups;
}

std::vector<CommandPalette::Entry> Commands::paletteEntries() const {
  std::vector<CommandPalette::Entry> entries;
  for (const auto& [entry, action] : made_) {
    if (std::string_view(entry.id) != "palette") {
      const QString title = nameOf(entry.menu) + QStringLiteral(": ") + entry.text;
      entries.push_back({QString(title).remove(u'&'), action});
    }
  }
  return entries;
}

void Commands::setAvailable(Needs needs, bool available, const QString& reason) {
  for (const Made& each : made_) {
    if (each.entry.needs == needs) {
      each.action->setEnabled(available);
      each.action->setToolTip(available || reason.isEmpty() ? each.entry.description : reason);
    }
  }
}

void Commands::fillMenu(QMenu& menu, CommandMenu which) const {
  const CommandEntry* last = nullptr;
  QMenu* into = &menu;
  for (const auto& [entry, action] : made_) {
    if (entry.menu != which) {
      continue;
    }
    if (last == nullptr || last->group != entry.group) {
      const QString submenu = submenuOf(entry);
      if (last != nullptr && (submenu.isEmpty() || into == &menu)) menu.addSeparator();
      into = submenu.isEmpty() ? &menu : menu.addMenu(submenu);
      into->setToolTipsVisible(true);
    }
    into->addAction(action);
    last = &entry;
  }
}

void Commands::addButtons(TopBar& bar) const {
  for (const auto& [entry, action] : made_) {
    if (entry.button == CommandButton::Corner) {
      bar.addCorner(action, entry.buttonText);
    } else if (entry.button != CommandButton::None) {
      using Priority = TopBar::Priority;
      bar.addMove(action, entry.buttonText,
                  entry.button == CommandButton::MainMove  ? Priority::Main
                  : entry.button == CommandButton::EndMove ? Priority::End
                  : entry.button == CommandButton::FarMove ? Priority::Far
                                                           : Priority::Usual);
    }
  }
}

}  // namespace shardlens
