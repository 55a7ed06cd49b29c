#pragma once

#include "ui/models/candidates_model.h"
#include "ui/models/plan_model.h"
#include "ui/models/ways_model.h"
#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

class QuietTable;

// Why things went as they did: the strategies that the newest operator could have taken, and the
// plan of the newest redistribution with the ways it could have gone; of the two what the program's
// current step decided, where it decided something.
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
  WaysModel* ways_;
  QuietTable* candidatesView_;
  QuietTable* planView_;
  QuietTable* waysView_;
  ElidedLabel* planTitle_;
  ElidedLabel* planSummary_;
  ElidedLabel* waysNote_;
  QLabel* none_;
};

}  // namespace shardlens
