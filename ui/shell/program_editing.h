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

// Changing the program of what is open: the sheet to do it in, running it as changed with the run
// before kept beside it, and saving it. The person's file stays as it is until it is saved.
class ProgramEditing final : public QObject {
  Q_OBJECT

 public:
  // They outlive it.
  ProgramEditing(MainWindow& window, DocumentHost& host);
  void connectParts(Commands& commands);

  const ProgramChanges& changes() const { return changes_; }
  // It means something, and is not as it ran.
  bool canRun() const;
  // Whether what is open is a run of a program that was changed here, or that is a recording's.
  bool isChangedRun() const;

  void change(int step);
  // Ranks the placements of a tensor of it; of a step's result.
  void whatIf(const QString& tensor);
  void whatIfStep(int step);
  void showNotation();
  // The tensor lies so then; shows the step that says so.
  void place(const QString& tensor, const Placements& placements);
  // Finds the answer of a cache's hit anew, for Caches; 0: stops that.
  void checkHit(EventId hit);
  void undo();
  void redo();
  void run();
  void compareEarlier();
  // Beside this one, in a linked window.
  void openEarlier();
  bool save();
  bool saveAs();
  // Asks where changes would be lost. False: nothing is to be done that loses them.
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
  std::string ran_;                  // the program of what is open
  QString file_;                     // the person's, that it came from; empty: none
  QString name_;                     // of the program
  std::unique_ptr<RunFolder> runs_;  // the programs that were run as changed
  int run_ = 0;
  bool isStarting_ = false;  // a run of the changed program, which is not presented yet
  void (ProgramEditing::*act_)() = nullptr;  // to be done when both runs are over
  int step_ = -1;                            // where the person was when it was run
};

}  // namespace shardlens
