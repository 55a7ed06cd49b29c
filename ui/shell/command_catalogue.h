#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <vector>

namespace shardlens {

// The menu that a command stands in.
enum class CommandMenu { Go, File, Edit, View, Help };
QString nameOf(CommandMenu menu);  // "&Go"

// What there has to be for a command to make sense.
enum class Needs {
  Nothing,
  Document,
  Step,            // that the position is in
  OneRecording,    // that can be copied
  Scenario,        // that can be run
  Program,         // a scenario, that can be changed
  ChangedProgram,  // that is not as it ran
  UnsavedProgram,
  Undo,  // something that was changed
  Redo,
  EarlierRun,     // of the program as it was before it was changed
  RunningEngine,  // that can be stopped
  WayToStart,     // also out of waiting
  EarlierEvents,
  LaterEvents,
  EarlierPlace,  // that was jumped from
  LaterPlace,    // that was gone back from
  Event,         // at the position
  Bookmark,      // likewise
  EarlierBookmark,
  LaterBookmark,
  RemovedBookmark,  // that can be brought back
  EarlierProblem,
  LaterProblem,
  Filter,  // of the steps
  Link,    // with another window
  LinkedDifferences
};

// Where else a command has a button.
enum class CommandButton { None, Move, MainMove, FarMove, Corner };

struct CommandEntry {
  const char* id;  // the object name of its action, which stays whatever the texts become
  CommandMenu menu;
  int group;     // groups of a menu are parted by a line
  QString text;  // in the menu, with its mnemonic
  QString what;  // what it does
  QList<QKeySequence> keys;
  Needs needs = Needs::Nothing;
  CommandButton button = CommandButton::None;
  QString buttonText = {};
  bool isSwitch = false;  // it is on or off
};

// Everything a person can do, in the order of the sheet of keys and, within each, of the menus.
const std::vector<CommandEntry>& commandCatalogue();

}  // namespace shardlens
