#include "ui/panels/why_panel.h"

#include "core/view/tables/alternatives_table.h"
#include "core/view/tables/decisions.h"
#include "core/view/words/empty_text.h"
#include "core/view/words/run_again.h"
#include "core/view/words/units.h"
#include "ui/models/problem_watch.h"
#include "ui/models/table_model.h"
#include "ui/panels/inferred_box.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/compact.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/try_button.h"
#include "ui/widgets/window_notation.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

using Candidate = view::CandidatesTable::Column;
using PlanColumn = view::PlanTable::Column;
using Alternative = view::AlternativesTable::Column;

// Returns the width that a column and its title need.
int neededWidth(const QTableView& table, int column) {
  return std::max(static_cast<const QAbstractItemView&>(table).sizeHintForColumn(column),
                  table.horizontalHeader()->sectionSizeHint(column));
}

// Returns the width that the visible columns of a table need.
int wholeWidth(const QTableView& table) {
  int all = 0;
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    if (!table.isColumnHidden(column)) all += neededWidth(table, column);
  }
  return all;
}

// The same if the placements in a column are as short as possible.
int compactWidth(const QTableView& table, int placements) {
  constexpr int kMargins = 14;
  const QFontMetrics metrics(zoomed(codeFont(11)));
  int longest = table.horizontalHeader()->sectionSizeHint(placements);
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QString text = table.model()->index(row, placements).data().toString();
    longest =
        std::max(longest, metrics.horizontalAdvance(compactPlacements(text)) + zoomed(kMargins));
  }
  return wholeWidth(table) - neededWidth(table, placements) + longest;
}

}  // namespace

WhyPanel::WhyPanel(QWidget* parent)
    : Panel(parent),
      candidatesModel_(new TableModel(this)),
      planModel_(new TableModel(this)),
      alternativesModel_(new TableModel(this)),
      candidatesView_(new QuietTable(QStringLiteral("candidatesView"), *candidatesModel_,
                                     {.marked = TableModel::MarkedRole, .isCompact = true})),
      planView_(new QuietTable(QStringLiteral("planView"), *planModel_, {})),
      alternativesView_(new QuietTable(QStringLiteral("alternativesView"), *alternativesModel_,
                                       {.marked = TableModel::MarkedRole})),
      scroll_(new QScrollArea),
      source_(new ElidedLabel(ElidedLabel::Role::Aside)),
      planTitle_(new ElidedLabel(ElidedLabel::Role::Detail)),
      planSummary_(new ElidedLabel(ElidedLabel::Role::Figures)),
      planSource_(new ElidedLabel(ElidedLabel::Role::Aside)),
      searchNote_(new ElidedLabel(ElidedLabel::Role::Aside)),
      cheaper_(new QWidget),
      cheaperText_(new QLabel),
      try_(new TryButton(QStringLiteral("tryCheaper"))),
      none_(new QLabel),
      inferred_(new InferredBox) {
  const Journal nothing;
  candidatesModel_->setTable(view::candidatesTable(nothing, 0).table);
  planModel_->setTable(view::planTable(nothing, 0).table);
  alternativesModel_->setTable(view::alternativesTable({}));
  candidatesView_->setAccessibleName(tr("Candidate strategies"));
  auto* columns = candidatesView_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(Candidate::Inputs, QHeaderView::Fixed);
  columns->setSectionResizeMode(Candidate::Output, QHeaderView::Stretch);
  for (QuietTable* view : {candidatesView_, planView_, alternativesView_}) {
    leadToEvents(*view);
  }
  for (QuietTable* view : inferred_->tables()) leadToEvents(*view);
  planView_->setAccessibleName(tr("Steps of the plan"));
  planView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  planView_->horizontalHeader()->setSectionResizeMode(PlanColumn::Then, QHeaderView::Stretch);
  alternativesView_->setAccessibleName(tr("Alternatives to the plan, with their costs"));
  alternativesView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  alternativesView_->horizontalHeader()->setSectionResizeMode(Alternative::Name,
                                                              QHeaderView::Stretch);
  alternativesView_->setColumnHidden(Alternative::Steps, true);  // its tooltip lists them
  planTitle_->setObjectName(QStringLiteral("planTitle"));
  source_->setObjectName(QStringLiteral("whySource"));
  planSource_->setObjectName(QStringLiteral("planSource"));
  planSummary_->setObjectName(QStringLiteral("planSummary"));
  searchNote_->setObjectName(QStringLiteral("searchNote"));
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
  cheaper_->setObjectName(QStringLiteral("cheaperPlacement"));
  cheaperText_->setWordWrap(true);
  cheaperText_->setTextFormat(Qt::PlainText);
  connect(try_, &TryButton::requested, this, &WhyPanel::placementRequested);
  auto* cheaper = new QHBoxLayout(cheaper_);
  cheaper->setContentsMargins(6, 0, 6, 0);
  cheaper->addWidget(cheaperText_, 1);
  cheaper->addWidget(try_, 0, Qt::AlignTop);
  cheaper_->hide();
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  none_->setForegroundRole(kMutedRole);
  candidatesFilter_ = new FilterLine(*candidatesView_);
  planFilter_ = new FilterLine(*planView_);
  alternativesFilter_ = new FilterLine(*alternativesView_);
  for (FilterLine* filter : {candidatesFilter_, planFilter_, alternativesFilter_}) {
    connect(filter, &FilterLine::visibilityChanged, this, &WhyPanel::fitTable);
  }
  scroll_->setObjectName(QStringLiteral("whyScroll"));
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setAutoFillBackground(false);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(1, 0, 1, 1);
  whole->addWidget(scroll_);
  auto* body = new QWidget;
  body->setAutoFillBackground(false);
  scroll_->setWidget(body);
  body->setAutoFillBackground(false);
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(4);
  layout->addWidget(cheaper_);
  layout->addWidget(inferred_);
  layout->addWidget(none_, 1);
  layout->addLayout(row(source_));
  layout->addWidget(candidatesFilter_);
  layout->addWidget(candidatesView_);
  layout->addLayout(title);
  layout->addLayout(row(planSource_));
  layout->addWidget(planFilter_);
  layout->addWidget(planView_);
  layout->addWidget(alternativesFilter_);
  layout->addWidget(alternativesView_);
  layout->addLayout(row(searchNote_));
  layout->addStretch(1);
  atEachZoom(this, [this] {
    planTitle_->setFixedHeight(zoomed(26));
    none_->setFont(zoomed(textFont(12)));
    cheaperText_->setFont(zoomed(textFont(12)));
    fitTable();
  });
}

// Divides the width of the table among its columns. `scrolls`: it has a scroll bar.
void WhyPanel::fitCandidates(bool scrolls) {
  auto* columns = candidatesView_->horizontalHeader();
  const auto preferredOf = [this](int column) { return neededWidth(*candidatesView_, column); };
  // The cost includes what would be received; no other column has the placements.
  const bool isRoomy = width() >= zoomed(420);
  candidatesView_->setColumnHidden(Candidate::Receives, !isRoomy);
  const int costs = preferredOf(Candidate::Cost) + (isRoomy ? preferredOf(Candidate::Receives) : 0);
  const int bar = scrolls ? candidatesView_->verticalScrollBar()->sizeHint().width() : 0;
  // Names get what the placements leave, and are hidden if that is too little. Inputs get what they
  // need as far as the output keeps a third of the room.
  const int all = scroll_->viewport()->width() - 12 - costs - bar;
  const int placements = preferredOf(Candidate::Inputs) + preferredOf(Candidate::Output);
  const bool hasNames = all - placements >= zoomed(76);
  candidatesView_->setColumnHidden(Candidate::Name, !hasNames);
  const int name = hasNames ? std::min(preferredOf(Candidate::Name) + 4, all - placements) : 0;
  columns->setSectionResizeMode(Candidate::Name, QHeaderView::Fixed);
  columns->resizeSection(Candidate::Name, name);
  const int room = std::max(zoomed(60), all - name);
  const int output = std::clamp(preferredOf(Candidate::Output), room / 3, room / 2);
  columns->resizeSection(Candidate::Inputs,
                         std::min(preferredOf(Candidate::Inputs), room - output));
}

// Sizes the tables to whole rows, as many as fit beside the plan.
void WhyPanel::fitTable() {
  const int row = zoomed(25);
  const int heading = zoomed(28);
  const int line = zoomed(20);
  const auto lines = [line](std::initializer_list<const QWidget*> labels) {
    return line * static_cast<int>(std::count_if(labels.begin(), labels.end(),
                                                 [](auto* label) { return !label->isHidden(); }));
  };
  // The tooltip of a row has the hidden columns.
  for (const auto& [column, room] :
       {std::pair(PlanColumn::Time, 340), {PlanColumn::Took, 410}, {PlanColumn::Held, 480}}) {
    planView_->setColumnHidden(column, width() < zoomed(room));
  }
  // The placements matter more than the times, whose totals are above the table; the names of
  // plans matter more than all their costs but the time.
  const int room = scroll_->viewport()->width() - 12;
  for (const int column : {PlanColumn::Took, PlanColumn::Time}) {
    if (wholeWidth(*planView_) > room) planView_->setColumnHidden(column, true);
  }
  planView_->setColumnHidden(PlanColumn::Axis, false);
  planView_->setColumnHidden(PlanColumn::Axis, compactWidth(*planView_, PlanColumn::Then) > room);
  const auto costs = {Alternative::Held, Alternative::Collectives, Alternative::Received};
  for (const int column : costs) alternativesView_->setColumnHidden(column, false);
  for (const int column : costs) {
    const bool fits = compactWidth(*alternativesView_, Alternative::Name) <= room;
    if (!fits) alternativesView_->setColumnHidden(column, true);
  }
  const auto filterOf = [](const FilterLine* filter) {
    return filter->isHidden() ? 0 : filter->sizeHint().height() + 4;
  };
  const int alternativesFilter = filterOf(alternativesFilter_);
  const int alternatives = alternativesView_->isHidden()
                               ? 0
                               : lines({searchNote_}) + alternativesFilter + heading +
                                     row * alternativesModel_->allRows();
  const int title =
      (planView_->isHidden() ? 14 : zoomed(40) + lines({planSource_})) + filterOf(planFilter_);
  const int plan =
      planView_->isHidden() ? 20 : title + heading + row * planModel_->allRows() + alternatives;
  const int cheaper =
      cheaper_->isHidden() ? 0 : cheaper_->heightForWidth(std::max(1, width() - 12)) + 4;
  const int inferred = inferred_->isHidden() ? 0 : inferred_->sizeHint().height() + 4;
  const int head = cheaper + inferred + heading + lines({source_}) + filterOf(candidatesFilter_);
  const int fitting = std::max(2, (height() - head - plan) / row);
  const int shown = std::min(fitting, candidatesModel_->allRows());
  candidatesView_->setFixedHeight(heading + row * shown);
  fitCandidates(shown < candidatesModel_->allRows());
  const int above = candidatesView_->isHidden() ? inferred : head + row * shown;
  const int below = height() - above - (plan - alternatives) - lines({searchNote_}) -
                    alternativesFilter - heading;
  alternativesView_->setFixedHeight(
      heading + row * std::clamp(below / row, 1, std::max(1, alternativesModel_->allRows())));
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  fitTable();
}

namespace {

// Returns the origin of a decision that was cached or made earlier; empty if it was made here and
// now.
QString sourceText(const view::Decision& decision, EventId position, const QString& noun) {
  QStringList parts;
  if (!decision.isCurrent) {
    parts << QObject::tr("Last %1, %2")
                 .arg(noun, toQString(view::agoText(position - decision.when())));
  }
  if (decision.lookup != 0 && decision.event == 0) {
    parts << QObject::tr("cached, made before this recording");
  } else if (decision.lookup != 0) {
    parts << QObject::tr("cached: the %1 of event %2").arg(noun).arg(decision.event);
  }
  QString text = parts.join(QStringLiteral(", "));
  return text.isEmpty() ? text : text.front().toUpper() + text.mid(1);
}

}  // namespace

void WhyPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const view::Notation notation = notationOf(*this);
  candidates_ =
      view::candidatesTable(journal, snapshot.position, snapshot.strategyDecided, notation);
  plan_ = view::planTable(journal, snapshot.position, snapshot.planDecided, notation);
  candidatesModel_->setTable(candidates_.table);
  planModel_->setTable(plan_.table);
  alternativesModel_->setTable(view::alternativesTable(
      plan_.plan.alternatives, view::PlacementWords(journal, notation), plan_.decision.event));
  // Shows the decisions of the current event. If there are none, shows the newest one.
  const view::Decision& choice = candidates_.decision;
  const view::Decision& plan = plan_.decision;
  const bool current = choice.isCurrent || plan.isCurrent;
  const bool chosen = current ? choice.isCurrent : choice.when() > plan.when();
  const bool planned = current ? plan.isCurrent : plan.when() > choice.when();
  header()->setDetail({});
  header()->setNote({});
  planned ? showPlan(snapshot.position) : hidePlan();
  chosen ? showCandidates(snapshot.position) : hideCandidates();
  none_->setText(toQString(view::noneText(journal, "candidates or plans", "No decisions yet.")));
  journal_ = &journal;
  snapshot_ = snapshot;
  showInferred();
  none_->setVisible(!chosen && !planned && inferred_->isHidden());
  showCheaper();
  fitTable();
}

void WhyPanel::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, [this] {
    showCheaper();
    showInferred();
    if (!inferred_->isHidden()) none_->hide();
    fitTable();
  });
}

void WhyPanel::showInferred() {
  if (journal_ == nullptr) return;
  const auto found = watch_ == nullptr ? nullptr : watch_->inferred(*journal_);
  inferred_->setTensor(*journal_, snapshot_, found.get());
}

// Shows a repair if all readers of a tensor of the current event need it with other placements.
void WhyPanel::showCheaper() {
  std::optional<Repair> repair;
  if (watch_ != nullptr && journal_ != nullptr) {
    const auto names = view::tensorsAround(*journal_, snapshot_.position);
    for (const Problem& problem : *watch_->problems()) {
      const bool isOfThese = problem.repair && std::find(names.begin(), names.end(),
                                                         problem.repair->tensor) != names.end();
      if (isOfThese && !repair) {
        repair = problem.repair;
        cheaperText_->setText(toQString(problem.sentence));
      }
    }
  }
  cheaper_->setVisible(repair.has_value());
  if (repair) {
    try_->setRepair(repair, view::PlacementWords(*journal_, notationOf(*this)));
    try_->setReason(toQString(view::whyNotRunAgain(*journal_)));
  }
}

void WhyPanel::offerAt(QMenu& menu, QPoint /*place*/) {
  if (journal_ == nullptr) {
    return;
  }
  for (EventId id = snapshot_.position; id != 0; id = journal_->at(id).parent) {
    if (const Event event = journal_->at(id); event.kind == EventKind::Redistribute) {
      return offerWhatIf(menu, *journal_, event.subject);
    }
  }
}

void WhyPanel::showCandidates(EventId position) {
  const view::Decision& choice = candidates_.decision;
  QStringList source{sourceText(choice, position, tr("decision"))};
  if (candidates_.leftOut > 0) {
    source << tr("%1 more were not recorded").arg(candidates_.leftOut);
  }
  source.removeAll(QString());
  source_->setText(source.join(QStringLiteral(" · ")));
  source_->setVisible(!source.isEmpty());
  candidatesView_->setVisible(candidatesModel_->allRows() > 0);
  candidatesView_->setDimmed(!choice.isCurrent);
  header()->setDetail(toQString(candidates_.operatorName));
  header()->setNote(toQString(candidates_.verdict));
}

void WhyPanel::hideCandidates() {
  source_->hide();
  candidatesView_->hide();
}

void WhyPanel::showPlan(EventId position) {
  const view::Decision& plan = plan_.decision;
  const bool dimmed = !plan.isCurrent;
  const bool other = candidates_.decision.isCurrent;
  planTitle_->setText(other ? tr("Plan for %1").arg(toQString(plan_.title)) : tr("Plan"));
  planTitle_->show();
  planSummary_->setText(toQString(plan_.summary));
  planSummary_->show();
  planSource_->setText(sourceText(plan, position, tr("plan")));
  planSource_->setVisible(!planSource_->text().isEmpty());
  planView_->setVisible(planModel_->allRows() > 0);
  planView_->setDimmed(dimmed);
  alternativesView_->setVisible(alternativesModel_->allRows() > 1);
  alternativesView_->setDimmed(dimmed);
  searchNote_->setText(toQString(view::searchText(plan_.plan)));
  searchNote_->setVisible(!searchNote_->text().isEmpty());
  header()->setDetail(toQString(plan_.title));
}

void WhyPanel::hidePlan() {
  for (QWidget* part : std::initializer_list<QWidget*>{planTitle_, planSummary_, planSource_,
                                                       planView_, alternativesView_, searchNote_}) {
    part->hide();
  }
}

}  // namespace shardlens
