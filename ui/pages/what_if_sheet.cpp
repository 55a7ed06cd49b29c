#include "ui/pages/what_if_sheet.h"

#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlens {
namespace {

using WhatIfColumn = view::PlacementCostsTable::Column;

constexpr QSize kWhatIfSize{970, 560};

}  // namespace

WhatIfSheet::WhatIfSheet(QWidget* window)
    : Sheet(QStringLiteral("whatIfSheet"), tr("What if"), window),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("placementsView"), *model_,
                            {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      summary_(new QLabel),
      progress_(new QProgressBar),
      cancel_(new QPushButton(tr("Cancel"))),
      try_(new QPushButton(tr("Try placement"))) {
  setAccessibleName(tr("Cost of the program for each placement of a tensor"));
  table_->setAccessibleName(tr("Placements, cheapest first"));
  model_->setTable(view::placementCostsTable({}));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(WhatIfColumn::Difference, QHeaderView::Stretch);
  summary_->setObjectName(QStringLiteral("whatIfSummary"));
  summary_->setTextFormat(Qt::PlainText);
  summary_->setWordWrap(true);
  atEachZoom(summary_, [label = summary_] { label->setFont(zoomed(textFont(12))); });
  progress_->setObjectName(QStringLiteral("whatIfProgress"));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setAccessibleName(tr("Estimating"));
  cancel_->setObjectName(QStringLiteral("cancelWhatIf"));
  cancel_->setAccessibleName(tr("Cancel the estimate"));
  cancel_->setAutoDefault(false);
  try_->setObjectName(QStringLiteral("tryPlacement"));
  try_->setAccessibleName(tr("Give the tensor the selected placement in the program"));
  try_->setToolTip(try_->accessibleName());
  try_->setProperty("primary", true);
  try_->setAutoDefault(false);
  auto* foot = new QHBoxLayout;
  foot->addStretch(1);
  foot->addWidget(cancel_);
  foot->addWidget(try_);
  content().setContentsMargins(18, 14, 18, 14);
  content().addWidget(summary_);
  content().addWidget(progress_);
  content().addWidget(new FilterLine(*table_));
  content().addWidget(table_, 1);
  content().addLayout(foot);
  setUsualSize(kWhatIfSize);
  connect(&run_, &WhatIfRun::progressed, this, [this](int done, int all) {
    progress_->setRange(0, all);
    progress_->setValue(done);
    summary_->setText(tr("Estimating placement %1 of %2 of %3…").arg(done).arg(all).arg(tensor_));
  });
  connect(&run_, &WhatIfRun::finished, this, &WhatIfSheet::show);
  connect(&run_, &WhatIfRun::failed, this, &WhatIfSheet::end);
  connect(cancel_, &QPushButton::clicked, this, &WhatIfSheet::cancel);
  connect(try_, &QPushButton::clicked, this, &WhatIfSheet::tryRow);
  connect(table_, &QAbstractItemView::activated, this, &WhatIfSheet::tryRow);
  offerOnRow(*table_, "tryThis", tr("Try placement"), [this](const QModelIndex&) { tryRow(); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &WhatIfSheet::showChosen);
  connect(model_, &TableModel::modelReset, this, &WhatIfSheet::showChosen);
}

void WhatIfSheet::estimate(const std::string& program, const QString& name, const QString& tensor) {
  const bool isSame = isVisible() && program == program_ && tensor == tensor_ &&
                      (isEstimating() || !ranked_.empty());
  program_ = program;
  name_ = name;
  tensor_ = tensor;
  setWindowTitle(tr("What if %1 were placed differently?").arg(tensor));
  if (!isVisible()) {
    toggle();
  }
  activateWindow();
  if (!isSame) {
    begin();
  }
}

void WhatIfSheet::begin() {
  ranked_.clear();
  model_->setTable(view::placementCostsTable(ranked_, notationOf(*this)));
  table_->setEmptyText({});
  summary_->setText(tr("Estimating placements of %1…").arg(tensor_));
  progress_->setRange(0, 0);
  progress_->show();
  cancel_->show();
  showChosen();
  run_.start(program_, name_, tensor_);
}

void WhatIfSheet::show(const std::vector<view::PlacementCost>& ranked) {
  ranked_ = ranked;
  model_->setTable(view::placementCostsTable(ranked_, notationOf(*this)));
  table_->setFocus();
  table_->setCurrentIndex(model_->index(0, 0));
  end(cheapestText());
}

QString WhatIfSheet::cheapestText() const {
  return tr("%1. Estimated by dry runs of the whole program, for rank 0.")
      .arg(toQString(view::cheapestText(ranked_, notationOf(*this))));
}

// Keeps the current row.
void WhatIfSheet::showNotation() {
  if (ranked_.empty()) {
    return;
  }
  const int row = table_->currentIndex().row();
  model_->setTable(view::placementCostsTable(ranked_, notationOf(*this)));
  table_->setCurrentIndex(model_->index(row, 0));
  summary_->setText(cheapestText());
}

void WhatIfSheet::end(const QString& summary) {
  summary_->setText(summary);
  progress_->hide();
  cancel_->hide();
  showChosen();
  Q_EMIT estimated();
}

void WhatIfSheet::cancel() {
  run_.cancel();
  end(tr("Estimate cancelled"));
}

const view::PlacementCost* WhatIfSheet::chosen() const {
  const int row = table_->currentIndex().row();
  return row < 0 || ranked_.empty() ? nullptr : &ranked_[model_->placeOf(row)];
}

void WhatIfSheet::showChosen() {
  const view::PlacementCost* cost = chosen();
  try_->setEnabled(cost != nullptr && !cost->isNow);
}

void WhatIfSheet::tryRow() {
  const view::PlacementCost* cost = chosen();
  if (cost == nullptr || cost->isNow) {
    return;
  }
  hide();
  Q_EMIT tryRequested(tensor_, cost->placements);
}

// Cancels the estimate when the sheet is hidden.
void WhatIfSheet::hideEvent(QHideEvent* event) {
  run_.cancel();
  Sheet::hideEvent(event);
}

QString WhatIfSheet::summary() const { return summary_->text(); }

}  // namespace shardlens
