#pragma once

#include "ui/models/program_model.h"
#include "ui/models/source_files.h"
#include "ui/panels/panel.h"

class QLabel;
class QListView;
class QPushButton;
class QToolButton;

namespace shardlens {

// The panel of the program, with the lines of the current step marked, and a refused line with the
// reason. For a recording that names lines of the user's own source, it shows that file if it is
// available.
class ProgramPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProgramPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Shows these breakpoints in the margin, where a click sets and removes them. They must outlive
  // this panel. Call once.
  void setBreakpoints(BreakpointsModel& breakpoints);
  // Sets or removes a breakpoint on the current line. Does nothing before setBreakpoints(), and if
  // currentQuery() is empty.
  void toggleBreakpoint();
  // Records that the file which the recording names `recorded` is at `path`, and shows it if it is
  // the file of the position. Requires setSnapshot() first.
  void learnSource(const QString& recorded, const QString& path);
  int currentStep() const;       // step of the current line; -1: none
  QString currentQuery() const;  // breakpoint query of that line; empty: none
  bool isCurrentBehind() const;  // the position has reached that line's step; false without one
  const ProgramModel& model() const { return *model_; }

 Q_SIGNALS:
  // Requests that the user choose where this file of the user's program is.
  void sourceRequested(const QString& recorded);

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
  SourceFiles files_;
  QWidget* missing_;  // shown if the user's source is not found
  QLabel* missingText_;
  QPushButton* find_;
  const Journal* journal_ = nullptr;
  int step_ = -1;
};

}  // namespace shardlens
