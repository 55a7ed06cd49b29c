#pragma once

#include "ui/models/candidates_model.h"
#include "ui/models/plan_model.h"
#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

class QuietTable;

// Why things went as they did: the strategies that the newest operator could have taken, and the
// plan of the newest redistribution.
class WhyPanel final : public Panel {
  Q_OBJECT

 public:
  explicit WhyPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitTable();

  CandidatesModel* candidates_;
  PlanModel* plan_;
  QuietTable* candidatesView_;
  QuietTable* planView_;
  ElidedLabel* planTitle_;
  QLabel* none_;
};

}  // namespace shardlens
