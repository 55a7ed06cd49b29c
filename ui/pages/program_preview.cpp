#include "ui/pages/program_preview.h"

#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/table_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>

namespace shardlens {
namespace {

using CostColumn = view::CostsTable::Column;

}  // namespace

ProgramPreview::ProgramPreview()
    : model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("costsView"), *model_,
                            {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      summary_(new QLabel),
      busy_(new QProgressBar) {
  table_->setAccessibleName(tr("Traffic of the program before and after the change"));
  summary_->setObjectName(QStringLiteral("previewSummary"));
  summary_->setTextFormat(Qt::PlainText);
  summary_->setWordWrap(true);
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->setFixedHeight(4);
  busy_->setAccessibleName(tr("Estimating"));
  model_->setTable(view::costsTable({}, {}));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  // Stretches the text columns only, so that the bytes stay visible with many collectives.
  for (const CostColumn words : {CostColumn::Step, CostColumn::Before, CostColumn::After}) {
    columns->setSectionResizeMode(words, QHeaderView::Stretch);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(summary_);
  column->addWidget(busy_);
  column->addWidget(table_, 1);
  connect(&before_, &DryRun::finished, this,
          [this](const view::RunCosts& costs) { take(costsBefore_, costs); });
  connect(&after_, &DryRun::finished, this,
          [this](const view::RunCosts& costs) { take(costsAfter_, costs); });
  // The program as it ran may fail as a dry run. Then only the changed program matters.
  connect(&before_, &DryRun::failed, this, [this] { take(costsBefore_, {}); });
  connect(&after_, &DryRun::failed, this, &ProgramPreview::showProblem);
}

void ProgramPreview::setPrograms(const std::string& ran, const std::string& now,
                                 const QString& name) {
  if (ran != ran_) {
    costsBefore_.reset();
    before_.cancel();
  }
  if (now != now_) {
    costsAfter_.reset();
    after_.cancel();
    problem_.clear();
  }
  ran_ = ran;
  now_ = now;
  name_ = name;
  if (isVisible()) {
    estimate();
  }
  showSummary();
}

void ProgramPreview::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  estimate();
  showSummary();
}

void ProgramPreview::hideEvent(QHideEvent* event) {
  before_.cancel();
  after_.cancel();
  QWidget::hideEvent(event);
}

void ProgramPreview::estimate() {
  if (!costsBefore_ && !before_.isRunning() && !ran_.empty()) {
    before_.start(ran_, name_);
  }
  if (!costsAfter_ && problem_.isEmpty() && now_ != ran_ && !after_.isRunning()) {
    after_.start(now_, name_);
  }
}

void ProgramPreview::take(std::optional<view::RunCosts>& costs, const view::RunCosts& found) {
  costs = found;
  showSummary();
  if (!isEstimating()) {
    Q_EMIT estimated();
  }
}

void ProgramPreview::showProblem(const QString& problem) {
  problem_ = problem;
  showSummary();
  Q_EMIT estimated();
}

void ProgramPreview::showSummary() {
  const bool isSame = now_ == ran_;
  const auto& after = isSame ? costsBefore_ : costsAfter_;
  const bool isKnown = costsBefore_ && after;
  const bool isBad = !problem_.isEmpty() || (after && !after->refusal.empty());
  busy_->setVisible(isEstimating());
  QString text;
  if (!problem_.isEmpty()) {
    text = problem_;
  } else if (after && !after->refusal.empty()) {
    text = tr("The dry run refused step %1, %2: %3")
               .arg(after->refusedStep + 1)
               .arg(toQString(after->steps.back().name), toQString(after->refusal));
  } else if (!isKnown) {
    text = isEstimating() ? tr("Estimating traffic…") : QString();
  } else if (isSame) {
    text = tr("The program is unchanged.");
  } else {
    text = tr("The changed program sends %1: %2. Estimated by dry runs, for rank 0.")
               .arg(toQString(view::sentText(after->all())),
                    toQString(view::costsDifference(costsBefore_->all(), after->all())));
  }
  summary_->setText(text);
  summary_->setForegroundRole(isBad ? kBadRole : QPalette::WindowText);
  if (isKnown) {
    model_->setTable(view::costsTable(*costsBefore_, *after));
  }
}

QString ProgramPreview::summary() const { return summary_->text(); }

}  // namespace shardlens
