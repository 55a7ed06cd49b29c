#include "ui/panels/why_panel.h"

#include "ui/panels/table_view.h"
#include "ui/scenes/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlens {

WhyPanel::WhyPanel(QWidget* parent)
    : Panel(QStringLiteral("whyPanel"), tr("Why"), parent),
      candidates_(new CandidatesModel(this)),
      plan_(new PlanModel(this)),
      candidatesView_(new QuietTable(QStringLiteral("candidatesView"),
                                     {.marked = CandidatesModel::ChosenRole})),
      planView_(new QuietTable(QStringLiteral("planView"), {})),
      planTitle_(new QLabel),
      none_(new QLabel(tr("Nothing has been decided yet."))) {
  candidatesView_->setAccessibleName(tr("Strategies that could have been taken"));
  candidatesView_->setModel(candidates_);
  auto* columns = candidatesView_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CandidatesModel::Inputs, QHeaderView::Stretch);
  planView_->setAccessibleName(tr("Steps of the newest plan"));
  planView_->setModel(plan_);
  planView_->horizontalHeader()->hide();
  planView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  planView_->horizontalHeader()->setSectionResizeMode(PlanModel::Change, QHeaderView::Stretch);
  planTitle_->setObjectName(QStringLiteral("planTitle"));
  planTitle_->setFont(textFont(12, Weight::Bold));
  planTitle_->setContentsMargins(8, 6, 8, 0);
  none_->setAlignment(Qt::AlignCenter);
  none_->setFont(textFont(12));
  none_->setProperty("tone", QStringLiteral("muted"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(4);
  layout->addWidget(none_, 1);
  layout->addWidget(candidatesView_);
  layout->addWidget(planTitle_);
  layout->addWidget(planView_);
  layout->addStretch(1);
  setMinimumWidth(200);
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
  header()->setDetail(candidates_->operatorName());
  header()->setNote(candidates_->verdict());
}

}  // namespace shardlens
