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

// What is wrong in the recording, or costs more than it has to. A row leads to its first event;
// under the table stands what to do about the current row, with the way to its other events.
class ProblemsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProblemsPanel(QWidget* parent = nullptr);
  void setWatch(const ProblemWatch& watch);  // which has to outlive it
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  void focusTable();
  const TableModel& model() const { return *model_; }

 private:
  void showProblems();
  void showCurrent();
  const Problem* current() const;
  QToolButton* makeMove(const char* name, const QString& text, const QString& what,
                        QKeyCombination key, EventId (*find)(const std::vector<EventId>&, EventId));

  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QWidget* foot_;
  NoteBox* advice_;
  QPushButton* try_;  // the repair of the problem, where it is one of the program
  ElidedLabel* times_;
  QToolButton* previous_;
  QToolButton* next_;
  const ProblemWatch* watch_ = nullptr;
  Problems shown_;
  QString unchecked_;  // why its results were not compared with the plain ones
  EventId position_ = 0;
};

}  // namespace shardlens
