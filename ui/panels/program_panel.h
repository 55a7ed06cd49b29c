#pragma once

#include "ui/models/program_model.h"
#include "ui/panels/panel.h"

class QListView;
class QToolButton;

namespace shardlens {

// The program, with the line that the position is in marked.
class ProgramPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ProgramPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const ProgramModel& model() const { return *model_; }

 Q_SIGNALS:
  // A line was clicked: the step of the scenario, from 0.
  void stepWanted(int step);

 private:
  void showCurrent();

  ProgramModel* model_;
  QListView* view_;
  QToolButton* form_;
};

}  // namespace shardlens
