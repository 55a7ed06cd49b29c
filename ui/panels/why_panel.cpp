#include "ui/panels/why_panel.h"

#include "ui/panels/table_view.h"
#include "ui/scenes/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {

WhyPanel::WhyPanel(QWidget* parent)
    : Panel(QStringLiteral("whyPanel"), tr("Why"), parent),
      candidates_(new CandidatesModel(this)),
      plan_(new PlanModel(this)),
      ways_(new WaysModel(this)),
      candidatesView_(new QuietTable(QStringLiteral("candidatesView"),
                                     {.marked = CandidatesModel::ChosenRole})),
      planView_(new QuietTable(QStringLiteral("planView"), {})),
      waysView_(new QuietTable(QStringLiteral("waysView"), {.marked = WaysModel::ChosenRole})),
      planTitle_(new ElidedLabel(ElidedLabel::Role::Detail)),
      planSummary_(new ElidedLabel(ElidedLabel::Role::Note)),
      waysNote_(new ElidedLabel(ElidedLabel::Role::Aside)),
      none_(new QLabel(tr("Nothing has been decided yet."))) {
  candidatesView_->setAccessibleName(tr("Strategies that could have been taken"));
  candidatesView_->setModel(candidates_);
  auto* columns = candidatesView_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CandidatesModel::Inputs, QHeaderView::Stretch);
  columns->setSectionResizeMode(CandidatesModel::Output, QHeaderView::Stretch);
  planView_->setAccessibleName(tr("Steps of the newest plan"));
  planView_->setModel(plan_);
  planView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  planView_->horizontalHeader()->setSectionResizeMode(PlanModel::Then, QHeaderView::Stretch);
  waysView_->setAccessibleName(tr("Ways that the plan could have taken"));
  waysView_->setModel(ways_);
  waysView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  waysView_->horizontalHeader()->setSectionResizeMode(WaysModel::Name, QHeaderView::Stretch);
  planTitle_->setObjectName(QStringLiteral("planTitle"));
  planTitle_->setFixedHeight(26);
  planSummary_->setObjectName(QStringLiteral("planSummary"));
  waysNote_->setObjectName(QStringLiteral("waysNote"));
  auto* title = new QHBoxLayout;
  title->setContentsMargins(6, 4, 6, 0);
  title->addWidget(planTitle_);
  title->addWidget(planSummary_, 1);
  auto* note = new QHBoxLayout;
  note->setContentsMargins(6, 0, 6, 0);
  note->addWidget(waysNote_);
  none_->setAlignment(Qt::AlignCenter);
  none_->setFont(textFont(12));
  none_->setProperty("tone", QStringLiteral("muted"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(4);
  layout->addWidget(none_, 1);
  layout->addWidget(candidatesView_);
  layout->addLayout(title);
  layout->addWidget(planView_);
  layout->addWidget(waysView_);
  layout->addLayout(note);
  layout->addStretch(1);
  setMinimumWidth(200);
}

// Whole rows only, as many as there is room for beside the plan.
void WhyPanel::fitTable() {
  constexpr int kRow = 25;
  constexpr int kHead = 28;
  constexpr int kNote = 22;
  auto* columns = candidatesView_->horizontalHeader();
  const int wanted = static_cast<QAbstractItemView*>(candidatesView_)->sizeHintForColumn(0) + 4;
  const int name = std::max(84, std::min(wanted, width() * 36 / 100));
  columns->setSectionResizeMode(CandidatesModel::Name, QHeaderView::Fixed);
  columns->resizeSection(CandidatesModel::Name, name);
  // Of inputs and output the output says more, where there is room for one only.
  constexpr int kNumbers = 110;
  constexpr int kPlacements = 130;
  const bool narrow = width() - name - kNumbers < kPlacements;
  candidatesView_->setColumnHidden(CandidatesModel::Inputs, narrow);
  constexpr int kWidePlan = 340;
  planView_->setColumnHidden(PlanModel::Time, width() < kWidePlan);
  const int ways = waysView_->isHidden() ? 0 : kNote + kHead + kRow * ways_->rowCount();
  const int title = planTitle_->isHidden() ? 14 : 40;
  const int plan = planView_->isHidden() ? 20 : title + kHead + kRow * plan_->rowCount() + ways;
  const int fitting = std::max(2, (height() - kHead - plan) / kRow);
  const int shown = std::min(fitting, candidates_->rowCount());
  candidatesView_->setFixedHeight(kHead + kRow * shown);
  const int above = candidatesView_->isHidden() ? 0 : kHead + kRow * shown;
  const int below = height() - above - (plan - ways) - kNote - kHead;
  waysView_->setFixedHeight(kHead +
                            kRow * std::clamp(below / kRow, 1, std::max(1, ways_->rowCount())));
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  fitTable();
}

void WhyPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  candidates_->setSnapshot(journal, snapshot);
  plan_->setSnapshot(journal, snapshot);
  ways_->setSnapshot(journal, snapshot);
  const auto stepOf = [&](EventId id) { return id == 0 ? -1 : journal.at(id).step; };
  const int chosenAt = stepOf(candidates_->event());
  const int plannedAt = stepOf(shownPlan(journal, snapshot).redistribution);
  const bool planned = plan_->rowCount() > 0 && plannedAt >= chosenAt;
  const bool chosen = candidates_->rowCount() > 0 && (chosenAt >= plannedAt || !planned);
  candidatesView_->setVisible(chosen);
  planView_->setVisible(planned);
  planTitle_->setVisible(planned && chosen);
  planTitle_->setText(tr("Plan for %1").arg(plan_->title()));
  planSummary_->setVisible(planned && chosen);
  planSummary_->setText(plan_->summary());
  const bool compared = planned && ways_->rowCount() > 1;
  waysView_->setVisible(compared);
  waysNote_->setVisible(planned && !ways_->verdict().isEmpty());
  waysNote_->setText(ways_->verdict());
  none_->setVisible(!chosen && !planned);
  fitTable();
  header()->setDetail(chosen ? candidates_->operatorName() : plan_->title());
  header()->setNote(chosen ? candidates_->verdict() : plan_->summary());
}

}  // namespace shardlens
