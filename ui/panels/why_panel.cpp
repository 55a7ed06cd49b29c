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
    : Panel(parent),
      candidates_(new CandidatesModel(this)),
      plan_(new PlanModel(this)),
      ways_(new WaysModel(this)),
      candidatesView_(new QuietTable(QStringLiteral("candidatesView"),
                                     {.marked = CandidatesModel::ChosenRole})),
      planView_(new QuietTable(QStringLiteral("planView"), {})),
      waysView_(new QuietTable(QStringLiteral("waysView"), {.marked = WaysModel::ChosenRole})),
      source_(new ElidedLabel(ElidedLabel::Role::Aside)),
      planTitle_(new ElidedLabel(ElidedLabel::Role::Detail)),
      planSummary_(new ElidedLabel(ElidedLabel::Role::Figures)),
      planSource_(new ElidedLabel(ElidedLabel::Role::Aside)),
      waysNote_(new ElidedLabel(ElidedLabel::Role::Aside)),
      none_(new QLabel(tr("Nothing has been decided yet."))) {
  candidatesView_->setAccessibleName(tr("Strategies that could have been taken"));
  candidatesView_->setModel(candidates_);
  auto* columns = candidatesView_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CandidatesModel::Inputs, QHeaderView::Stretch);
  columns->setSectionResizeMode(CandidatesModel::Output, QHeaderView::Stretch);
  leadTo(candidatesView_, [this] { return candidates_->decision().event; });
  leadTo(planView_, [this] { return plan_->decision().event; });
  leadTo(waysView_, [this] { return plan_->decision().event; });
  planView_->setAccessibleName(tr("Moves of the plan"));
  planView_->setModel(plan_);
  planView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  planView_->horizontalHeader()->setSectionResizeMode(PlanModel::Then, QHeaderView::Stretch);
  waysView_->setAccessibleName(tr("Ways that the plan could have taken"));
  waysView_->setModel(ways_);
  waysView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  waysView_->horizontalHeader()->setSectionResizeMode(WaysModel::Name, QHeaderView::Stretch);
  planTitle_->setObjectName(QStringLiteral("planTitle"));
  planTitle_->setFixedHeight(26);
  source_->setObjectName(QStringLiteral("whySource"));
  planSource_->setObjectName(QStringLiteral("planSource"));
  planSummary_->setObjectName(QStringLiteral("planSummary"));
  waysNote_->setObjectName(QStringLiteral("waysNote"));
  auto* title = new QHBoxLayout;
  title->setContentsMargins(6, 4, 6, 0);
  title->addWidget(planTitle_);
  title->addStretch(1);
  title->addWidget(planSummary_);
  const auto row = [](QWidget* label) {
    auto* line = new QHBoxLayout;
    line->setContentsMargins(6, 0, 6, 0);
    line->addWidget(label);
    return line;
  };
  none_->setAlignment(Qt::AlignCenter);
  none_->setFont(textFont(12));
  none_->setProperty("tone", QStringLiteral("muted"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(4);
  layout->addWidget(none_, 1);
  layout->addLayout(row(source_));
  layout->addWidget(candidatesView_);
  layout->addLayout(title);
  layout->addLayout(row(planSource_));
  layout->addWidget(planView_);
  layout->addWidget(waysView_);
  layout->addLayout(row(waysNote_));
  layout->addStretch(1);
  setMinimumWidth(200);
}

void WhyPanel::leadTo(QuietTable* view, const std::function<EventId()>& event) {
  const auto go = [this, event] { Q_EMIT positionWanted(event()); };
  connect(view, &QTableView::clicked, this, go);
  connect(view, &QTableView::activated, this, go);
}

// Whole rows only, as many as there is room for beside the plan.
void WhyPanel::fitTable() {
  constexpr int kRow = 25;
  constexpr int kHead = 28;
  constexpr int kLine = 20;
  const auto lines = [](std::initializer_list<const QWidget*> labels) {
    return kLine * static_cast<int>(std::count_if(labels.begin(), labels.end(),
                                                  [](auto* label) { return !label->isHidden(); }));
  };
  auto* columns = candidatesView_->horizontalHeader();
  const int wanted = static_cast<QAbstractItemView*>(candidatesView_)->sizeHintForColumn(0) + 4;
  const int name = std::max(76, std::min(wanted, width() * 30 / 100));
  columns->setSectionResizeMode(CandidatesModel::Name, QHeaderView::Fixed);
  columns->resizeSection(CandidatesModel::Name, name);
  // What would be sent is in the cost too; where inputs and output lie is nowhere else.
  constexpr int kRoomy = 420;
  candidatesView_->setColumnHidden(CandidatesModel::Receives, width() < kRoomy);
  constexpr int kWidePlan = 340;
  planView_->setColumnHidden(PlanModel::Time, width() < kWidePlan);
  const int ways =
      waysView_->isHidden() ? 0 : lines({waysNote_}) + kHead + kRow * ways_->rowCount();
  const int title = planView_->isHidden() ? 14 : 40 + lines({planSource_});
  const int plan = planView_->isHidden() ? 20 : title + kHead + kRow * plan_->rowCount() + ways;
  const int head = kHead + lines({source_});
  const int fitting = std::max(2, (height() - head - plan) / kRow);
  const int shown = std::min(fitting, candidates_->rowCount());
  candidatesView_->setFixedHeight(kHead + kRow * shown);
  const int above = candidatesView_->isHidden() ? 0 : head + kRow * shown;
  const int below = height() - above - (plan - ways) - lines({waysNote_}) - kHead;
  waysView_->setFixedHeight(kHead +
                            kRow * std::clamp(below / kRow, 1, std::max(1, ways_->rowCount())));
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  fitTable();
}

namespace {

// Where a decision comes from, where it was not taken here and now.
QString sourceText(const Decision& decision, EventId position, const QString& what) {
  QStringList parts;
  if (!decision.isCurrent) {
    parts << QObject::tr("Last %1, %2").arg(what, agoText(decision.when(), position));
  }
  if (decision.lookup != 0 && decision.event == 0) {
    parts << QObject::tr("from the cache, and made before this recording");
  } else if (decision.lookup != 0) {
    parts << QObject::tr("from the cache: the %1 of event %2").arg(what).arg(decision.event);
  }
  QString text = parts.join(QStringLiteral(", "));
  return text.isEmpty() ? text : text.front().toUpper() + text.mid(1);
}

}  // namespace

void WhyPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  candidates_->setSnapshot(journal, snapshot);
  plan_->setSnapshot(journal, snapshot);
  ways_->setSnapshot(journal, snapshot);
  // What belongs to the current event; where nothing does, the newest.
  const Decision& choice = candidates_->decision();
  const Decision& plan = plan_->decision();
  const bool current = choice.isCurrent || plan.isCurrent;
  const bool chosen = current ? choice.isCurrent : choice.when() > plan.when();
  const bool planned = current ? plan.isCurrent : plan.when() > choice.when();
  header()->setDetail({});
  header()->setNote({});
  for (QWidget* part :
       std::initializer_list<QWidget*>{source_, candidatesView_, planTitle_, planSummary_,
                                       planSource_, planView_, waysView_, waysNote_}) {
    part->hide();
  }
  if (planned) {
    showPlan(snapshot.position);
  }
  if (chosen) {
    showCandidates(snapshot.position);
  }
  none_->setVisible(!chosen && !planned);
  fitTable();
}

void WhyPanel::showCandidates(EventId position) {
  const Decision& choice = candidates_->decision();
  QStringList source{sourceText(choice, position, tr("decision"))};
  if (candidates_->leftOut() > 0) {
    source << tr("%1 more were not recorded").arg(candidates_->leftOut());
  }
  source.removeAll(QString());
  source_->setText(source.join(QStringLiteral(" · ")));
  source_->setVisible(!source.isEmpty());
  candidatesView_->setVisible(candidates_->rowCount() > 0);
  candidatesView_->setDimmed(!choice.isCurrent);
  header()->setDetail(candidates_->operatorName());
  header()->setNote(candidates_->verdict());
}

void WhyPanel::showPlan(EventId position) {
  const Decision& plan = plan_->decision();
  const bool dimmed = !plan.isCurrent;
  const bool other = candidates_->decision().isCurrent;
  planTitle_->setText(other ? tr("Plan for %1").arg(plan_->title()) : tr("Plan"));
  planTitle_->show();
  planSummary_->setText(plan_->summary());
  planSummary_->show();
  planSource_->setText(sourceText(plan, position, tr("plan")));
  planSource_->setVisible(!planSource_->text().isEmpty());
  planView_->setVisible(plan_->rowCount() > 0);
  planView_->setDimmed(dimmed);
  waysView_->setVisible(ways_->rowCount() > 1);
  waysView_->setDimmed(dimmed);
  waysNote_->setVisible(!ways_->verdict().isEmpty());
  waysNote_->setText(ways_->verdict());
  header()->setDetail(plan_->title());
}

}  // namespace shardlens
