#pragma once

#include "core/view/words/placement_words.h"
#include "ui/models/problem_watch.h"
#include "ui/models/table_model.h"
#include "ui/panels/panel.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace shardlens {

class NoteBox;
class QuietTable;
class TryButton;

// The panel of problems in the recording: errors and warnings of the rules in core/query/problems.
// Activating a row goes to its first event. Below the table are the advice for the current row and
// buttons for its other events.
class ProblemsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProblemsPanel(QWidget* parent = nullptr);
  // Call it once, before setSnapshot(). Without a watch the panel stays empty. Updates the panel
  // when the watch changes. `watch` must outlive this panel.
  void setWatch(const ProblemWatch& watch);
  // If the position moved, selects the first problem with an event at the new position, unless the
  // current problem has one.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  void focusTable();  // does nothing while the table is hidden, because there are no problems
  const TableModel& model() const { return *model_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showProblems();
  void showColumns();
  void showCurrent();
  const Problem* current() const;
  QToolButton* makeMove(const char* name, const QString& text, const QString& description,
                        QKeyCombination key, EventId (*find)(const std::vector<EventId>&, EventId));

  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QWidget* foot_;
  NoteBox* advice_;
  TryButton* try_;  // emits placementRequested() with the problem's repair; hidden if it has none
  QPushButton* whatIf_;  // emits whatIfRequested() for the suspect; hidden if there is none
  ElidedLabel* times_;
  QToolButton* previous_;
  QToolButton* next_;
  const ProblemWatch* watch_ = nullptr;
  Problems shown_;
  QString unchecked_;  // why results were not compared with plain tensors
  EventId position_ = 0;
  EventId requested_ = 0;       // position that this panel has requested last
  view::PlacementWords words_;  // in the notation of the window
};

}  // namespace shardlens
