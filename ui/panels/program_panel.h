#pragma once

#include "ui/models/program_model.h"
#include "ui/models/source_files.h"
#include "ui/panels/panel.h"

class QLabel;
class QListView;
class QPushButton;
class QToolButton;

namespace shardlens {

class NoteBox;

// The program, with the line that the position is in marked, the line that was refused, and why. Of
// a recording that names lines of the user's own source it shows that, where it is found.
class ProgramPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProgramPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Those that stand in the margin, where a click sets and removes them.
  void setBreakpoints(BreakpointsModel& breakpoints);
  // On the line that the keyboard is at.
  void toggleBreakpoint();
  // Where a file of the user's program is, that the recording names.
  void learnSource(const QString& recorded, const QString& path);
  int currentStep() const;       // of the line that the keyboard is at; -1: none
  QString currentQuery() const;  // of that line; empty: none
  bool isCurrentBehind() const;  // the position has reached it
  const ProgramModel& model() const { return *model_; }

 Q_SIGNALS:
  // Somebody is to say where this file of the user's program is.
  void sourceWanted(const QString& recorded);

 private:
  void offerChanging();
  void showSource();
  void showPlace();
  void showCurrent();
  void toggleBreakpointAt(const QModelIndex& index);

  ProgramModel* model_;
  BreakpointsModel* breakpoints_ = nullptr;
  QListView* view_;
  QToolButton* form_;
  QAction* change_ = nullptr;
  QAction* whatIf_ = nullptr;
  NoteBox* refusal_;
  SourceFiles files_;
  QWidget* missing_;  // the user's source is not where it was
  QLabel* missingText_;
  QPushButton* find_;
  const Journal* journal_ = nullptr;
  int step_ = -1;
};

}  // namespace shardlens
