#pragma once

#include "ui/models/program_model.h"
#include "ui/panels/panel.h"

class QListView;
class QToolButton;

namespace shardlens {

class NoteBox;

// The program, with the line that the position is in marked, the line that was refused, and why.
class ProgramPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProgramPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const ProgramModel& model() const { return *model_; }

 private:
  void showPlace();
  void showCurrent();

  ProgramModel* model_;
  QListView* view_;
  QToolButton* form_;
  NoteBox* refusal_;
  int step_ = -1;
  int line_ = 0;
};

}  // namespace shardlens
