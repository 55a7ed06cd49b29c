#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <vector>

namespace shardlens {

// The menu that contains a command.
enum class CommandMenu { Go, File, Edit, View, Help };
QString nameOf(CommandMenu menu);  // "&Go", with its mnemonic

// The condition for a command to be enabled. MainWindow::showAvailable() evaluates it.
enum class Needs {
  Nothing,
  Document,
  Recording,       // a recording, not a scenario, an imported trace or a followed run
  GalleryItem,     // a scenario of the gallery
  Step,            // the position is in a step
  OneRecording,    // a recording that can be saved as one file
  Scenario,        // a scenario that can be run
  Program,         // a scenario that can be changed
  ChangedProgram,  // the program differs from the one that ran
  UnsavedProgram,  // the program has unsaved changes
  Undo,            // a change of the program
  Redo,
  EarlierRun,     // a run of the program before it was changed
  RunningEngine,  // an engine that can be stopped
  Rewind,         // not at the start, or waiting
  EarlierEvents,
  LaterEvents,
  EarlierPosition,  // a position before a jump
  LaterPosition,    // a position that was left by going back
  Event,            // the position is at an event
  Bookmark,         // the event of the position has one
  EarlierBookmark,
  LaterBookmark,
  RemovedBookmark,  // a bookmark that can be restored
  AnyProblem,       // a problem with an event
  Filter,           // a filter in Events
  Link,             // a link with another window
  LinkedDifferences
};

// The additional button of a command in the top bar.
// In a narrow window, far moves are the first to be hidden, then moves to the ends.
enum class CommandButton { None, Move, MainMove, EndMove, FarMove, Corner };

// The description of a command.
struct CommandEntry {
  const char* id;  // object name of its action; stable
  CommandMenu menu;
  int group;            // a separator is placed between groups of a menu
  QString text;         // menu text; & precedes the mnemonic
  QString description;  // description for tooltips
  QList<QKeySequence> keys;
  Needs needs = Needs::Nothing;
  CommandButton button = CommandButton::None;
  QString buttonText = {};
  bool isSwitch = false;  // can be checked
};

// Returns the title of the submenu that contains the command's group; empty if the menu itself
// does.
QString submenuOf(const CommandEntry& entry);

// Returns all commands, in the order of the sheet of shortcuts and of the menus.
const std::vector<CommandEntry>& commandCatalogue();

}  // namespace shardlens
