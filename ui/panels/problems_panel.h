#pragma once

#include "ui/models/problem_watch.h"
#include "ui/models/table_model.h"
#include "ui/panels/panel.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace shardlens {

class NoteBox;
class QuietTable;

// The panel of problems in the recording: errors, and steps that cost more than necessary.
// Activating a row goes to its first event. Below the table are the advice for the current row and
// buttons for its other events.
class ProblemsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProblemsPanel(QWidget* parent = nullptr);
  void setWatch(const ProblemWatch& watch);  // `watch` must outlive this panel
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  void focusTable();
  const TableModel& model() const { return *model_; }

 private:
  void showProblems();
  void showCurrent();
  const Problem* current() const;
  QToolButton* makeMove(const char* name, const QString& text, const QString& description,
                        QKeyCombination key, EventId (*find)(const std::vector<EventId>&, EventId));

  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QWidget* foot_;
  NoteBox* advice_;
  QPushButton* try_;  // applies the repair of the problem, if it has one
  ElidedLabel* times_;
  QToolButton* previous_;
  QToolButton* next_;
  const ProblemWatch* watch_ = nullptr;
  Problems shown_;
  QString unchecked_;  // why results were not compared with plain tensors
  EventId position_ = 0;
};

}  // namespace shardlens
