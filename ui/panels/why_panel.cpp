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
      candidatesView_(new QuietTable(QStringLiteral("candidatesView"),
                                     {.marked = CandidatesModel::ChosenRole})),
      planView_(new QuietTable(QStringLiteral("planView"), {})),
      planTitle_(new ElidedLabel(ElidedLabel::Role::Detail)),
      none_(new QLabel(tr("Nothing has been decided yet."))) {
  candidatesView_->setAccessibleName(tr("Strategies that could have been taken"));
  candidatesView_->setModel(candidates_);
  auto* columns = candidatesView_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CandidatesModel::Inputs, QHeaderView::Stretch);
  columns->setSectionResizeMode(CandidatesModel::Output, QHeaderView::Stretch);
  planView_->setAccessibleName(tr("Steps of the newest plan"));
  planView_->setModel(plan_);
  planView_->horizontalHeader()->hide();
  planView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  planView_->horizontalHeader()->setSectionResizeMode(PlanModel::Change, QHeaderView::Stretch);
  planTitle_->setObjectName(QStringLiteral("planTitle"));
  planTitle_->setFixedHeight(26);
  auto* title = new QHBoxLayout;
  title->setContentsMargins(6, 4, 6, 0);
  title->addWidget(planTitle_);
  title->addStretch(1);
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
  layout->addStretch(1);
  setMinimumWidth(200);
}

// Whole rows only, as many as there is room for beside the plan.
void WhyPanel::fitTable() {
  constexpr int kRow = 25;
  constexpr int kHead = 28;
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
  const int plan = planView_->isHidden() ? 20 : 60 + kRow * plan_->rowCount();
  const int fitting = std::max(2, (height() - kHead - plan) / kRow);
  candidatesView_->setFixedHeight(kHead + kRow * std::min(fitting, candidates_->rowCount()));
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  fitTable();
}

void WhyPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  candidates_->setSnapshot(journal, snapshot);
  plan_->setSnapshot(journal, snapshot);
  const bool chosen = candidates_->rowCount() > 0;
  const bool planned = plan_->rowCount() > 0;
  candidatesView_->setVisible(chosen);
  planView_->setVisible(planned);
  planTitle_->setVisible(planned);
  planTitle_->setText(tr("Plan for %1").arg(plan_->title()));
  none_->setVisible(!chosen && !planned);
  fitTable();
  header()->setDetail(candidates_->operatorName());
  header()->setNote(candidates_->verdict());
}

}  // namespace shardlens
