#pragma once

#include "ui/models/candidates_model.h"
#include "ui/models/plan_model.h"
#include "ui/models/ways_model.h"
#include "ui/panels/panel.h"

#include <functional>

class QLabel;

namespace shardlens {

class QuietTable;

// Why things went as they did: the strategies that the current event's operator could have taken,
// and the plan of its redistribution with the ways it could have gone. Of what a cache remembered
// it says so, and where nothing was decided for the current event it shows, dimmed, what was
// decided last. A row leads to the event that explains it.
class WhyPanel final : public Panel {
  Q_OBJECT

 public:
  explicit WhyPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showCandidates(EventId position);
  void showPlan(EventId position);
  void fitTable();
  void leadTo(QuietTable* view, const std::function<EventId()>& event);

  CandidatesModel* candidates_;
  PlanModel* plan_;
  WaysModel* ways_;
  QuietTable* candidatesView_;
  QuietTable* planView_;
  QuietTable* waysView_;
  ElidedLabel* source_;
  ElidedLabel* planTitle_;
  ElidedLabel* planSummary_;
  ElidedLabel* planSource_;
  ElidedLabel* waysNote_;
  QLabel* none_;
};

}  // namespace shardlens
