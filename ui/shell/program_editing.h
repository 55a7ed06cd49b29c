#pragma once

#include "ui/bridge/document_host.h"
#include "ui/models/program_changes.h"

#include <QObject>

namespace shardlens {

class CacheCheck;
class Commands;
class MainWindow;
class ProgramSheet;
class WhatIfSheet;

// Controls the editing of the open document's program: the sheet to edit it, runs of the changed
// program with the previous run kept for comparison, and saving. The user's file changes only on
// save.
class ProgramEditing final : public QObject {
  Q_OBJECT

 public:
  // Owned by `window`. `host` must outlive this object.
  ProgramEditing(MainWindow& window, DocumentHost& host);
  // Creates the sheets; call it once, after the panels and commands exist.
  void connectParts(Commands& commands);

  const ProgramChanges& changes() const { return changes_; }
  // True if the program is valid and differs from the one that ran.
  bool canRun() const;
  // True if the open document was started by run().
  bool isChangedRun() const;

  // Opens the sheet at a step; -1: the whole program. change(), the what-if functions and place()
  // do nothing if the document has no program that can be edited.
  void change(int step);
  // Open the what-if sheet for a tensor, or for the result of a step.
  void whatIf(const QString& tensor);
  void whatIfStep(int step);
  void showNotation();  // updates the what-if sheet after a change of the notation
  // Gives the tensor these placements and opens the sheet at the changed step. Shows a message if
  // that fails.
  void place(const QString& tensor, const Placements& placements);
  // Recomputes the cached result of a hit by running the program as it ran, without later changes;
  // the result is shown in the Caches panel. 0: cancels that.
  void checkHit(EventId hit);
  void undo();  // undo() and redo() show the sheet
  void redo();
  // Starts a run of the program as it is now. Keeps the open run as the earlier one. Shows a
  // message if the program cannot be written.
  void run();
  // Lets both runs end, then compares them. Does nothing without an earlier run. Closing the
  // document cancels it.
  void compareEarlier();
  // Opens the earlier run in a linked window, likewise.
  void openEarlier();
  // Saves the program in its file; without one, as saveAs(), which asks for a file. Return false if
  // that failed, with a message, or if the user cancelled.
  bool save();
  bool saveAs();
  // Asks whether to save unsaved changes. Returns false if the user cancels or saving fails; then
  // nothing may be done that would lose them.
  bool mayLose();

 private:
  void presented();
  void closed();
  void showHistory(void (QUndoStack::*move)());
  void whenBothAreOver(void (ProgramEditing::*act)());
  void actWhenOver();
  void compare();
  void openBeside();
  bool saved();
  bool write(const QString& path);

  MainWindow& window_;
  DocumentHost& host_;
  ProgramChanges changes_;
  ProgramSheet* sheet_ = nullptr;
  WhatIfSheet* whatIf_ = nullptr;
  CacheCheck* check_ = nullptr;
  std::string ran_;                  // text of the program of the open run
  QString file_;                     // the user's file that the program came from; empty: none
  QString name_;                     // file name of the program
  std::unique_ptr<RunFolder> runs_;  // folder of the changed programs that were run
  int run_ = 0;
  bool isStarting_ = false;  // run() was called, and its document is not presented yet
  void (ProgramEditing::*act_)() = nullptr;  // called when both runs have ended
  int step_ = -1;                            // step of the position when run() was called
};

}  // namespace shardlens
