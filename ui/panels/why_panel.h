#pragma once

#include "core/view/tables/candidates_table.h"
#include "core/view/tables/plan_table.h"
#include "ui/panels/panel.h"

class QLabel;
class QScrollArea;

namespace shardlens {

class FilterLine;
class InferredBox;
class ProblemWatch;
class QuietTable;
class TableModel;
class TryButton;

// The panel of reasons: the candidate strategies of the current event's operator, and the plan of
// its redistribution with the alternatives. It states if a decision came from a cache. If nothing
// was decided for the current event, it shows the latest decision, dimmed. For a plain tensor of a
// job it shows the placements that are inferred, see InferredBox. Activating a row goes to the
// event that explains it.
class WhyPanel final : public Panel {
  Q_OBJECT

 public:
  explicit WhyPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Suggests repairs from the problems of `watch`, and shows the placements that it infers. It must
  // outlive this panel. Call once.
  void setWatch(const ProblemWatch& watch);

 protected:
  void offerAt(QMenu& menu, QPoint place) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showCandidates(EventId position);
  void hideCandidates();
  void showPlan(EventId position);
  void hidePlan();
  void showCheaper();
  void showInferred();
  void fitTable();
  void fitCandidates(bool scrolls);

  view::CandidatesTable candidates_;
  view::PlanTable plan_;
  TableModel* candidatesModel_;
  TableModel* planModel_;
  TableModel* alternativesModel_;
  QuietTable* candidatesView_;
  QuietTable* planView_;
  QuietTable* alternativesView_;
  FilterLine* candidatesFilter_;
  FilterLine* planFilter_;
  FilterLine* alternativesFilter_;
  QScrollArea* scroll_;
  ElidedLabel* source_;
  ElidedLabel* planTitle_;
  ElidedLabel* planSummary_;
  ElidedLabel* planSource_;
  ElidedLabel* searchNote_;
  QWidget* cheaper_;  // suggests a cheaper placement of the tensor
  QLabel* cheaperText_;
  TryButton* try_;
  QLabel* none_;
  const ProblemWatch* watch_ = nullptr;
  InferredBox* inferred_;
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
};

}  // namespace shardlens
