#include "ui/pages/comparison_sheet.h"

#include "core/compare/differences_table.h"
#include "ui/bridge/recording_comparison.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlens {
namespace {

using ComparisonColumn = DifferencesTable::Column;

constexpr QSize kComparisonSize{760, 420};

QString summaryOf(const ComparedRecordings& result) {
  QString text = QObject::tr("%1 in both").arg(countText(result.steps, "step", "steps"));
  if (result.leftSteps > 0) {
    text += QObject::tr(", %1 only in this recording").arg(result.leftSteps);
  }
  if (result.rightSteps > 0) {
    text += QObject::tr(", %1 only in the other").arg(result.rightSteps);
  }
  text += result.all == 0 ? QObject::tr(" · no differences")
                          : QStringLiteral(" · ") + countText(static_cast<int>(result.all),
                                                              "difference", "differences");
  return result.all > result.differences.size()
             ? text + QObject::tr(", the first %1 are listed").arg(result.differences.size())
             : text;
}

}  // namespace

ComparisonSheet::ComparisonSheet(QWidget* window)
    : Sheet(QStringLiteral("comparisonSheet"), tr("Comparison"), window),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("differencesView"), *model_,
                            {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      summary_(new QLabel),
      busy_(new QProgressBar),
      open_(new QPushButton(tr("Open the other beside this one"))) {
  setAccessibleName(tr("Differences between two recordings"));
  resize(kComparisonSize);
  table_->setAccessibleName(tr("Differences"));
  table_->setMinimumSize(kComparisonSize);
  summary_->setObjectName(QStringLiteral("comparisonSummary"));
  atEachZoom(summary_, [label = summary_] { label->setFont(zoomed(textFont(12))); });
  summary_->setWordWrap(true);
  summary_->setTextFormat(Qt::PlainText);
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->setFixedHeight(4);
  busy_->setAccessibleName(tr("Comparing"));
  open_->setObjectName(QStringLiteral("openOther"));
  open_->setAccessibleName(
      tr("Open the other recording beside this one, at the selected difference"));
  model_->setTable(differencesTable({}));
  auto* columns = table_->horizontalHeader();
  for (const int column : {ComparisonColumn::In, ComparisonColumn::Left, ComparisonColumn::Right}) {
    columns->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  }
  columns->setSectionResizeMode(ComparisonColumn::Difference, QHeaderView::Stretch);
  leadToEvents(
      *table_, [](const QModelIndex& row) { return row.data(TableModel::EventRole).toUInt(); },
      [this](WithEvent action, EventId event) {
        action == WithEvent::Go ? Q_EMIT positionRequested(event)
                                : Q_EMIT similarRequested(action, event);
      });
  connect(open_, &QPushButton::clicked, this, &ComparisonSheet::openOther);
  auto* foot = new QHBoxLayout;
  foot->addStretch(1);
  foot->addWidget(open_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 14);
  column->addWidget(summary_);
  column->addWidget(busy_);
  column->addWidget(new FilterLine(*table_));
  column->addWidget(table_, 1);
  column->addLayout(foot);
}

ComparisonSheet::~ComparisonSheet() = default;

void ComparisonSheet::compare(const QStringList& left, const QString& right, const QString& name) {
  other_ = right;
  others_.clear();
  setWindowTitle(tr("Compared with %1").arg(name));
  model_->setTable(differencesTable({}));
  summary_->setText(tr("Reading and comparing…"));
  table_->setEmptyText({});
  busy_->show();
  open_->setEnabled(false);
  if (!isVisible()) {
    toggle();
  }
  comparison_ = std::make_unique<RecordingComparison>(left, QStringList(right));
  connect(comparison_.get(), &RecordingComparison::compared, this,
          [this](const std::shared_ptr<const ComparedRecordings>& result) { show(*result); });
  connect(comparison_.get(), &RecordingComparison::failed, this, &ComparisonSheet::end);
}

void ComparisonSheet::show(const ComparedRecordings& result) {
  for (const RunDifference& difference : result.differences) {
    others_.push_back(difference.right);
  }
  table_->setEmptyText(tr("The recordings do not differ."));
  model_->setTable(differencesTable(result.differences));
  open_->setEnabled(true);
  end(summaryOf(result));
  table_->setFocus();
  table_->selectRow(0);
}

void ComparisonSheet::end(const QString& summary) {
  summary_->setText(summary);
  busy_->hide();
  comparison_.release()->deleteLater();  // it is the sender of this signal
}

// Opens it at the selected difference, or at the default position if it has no such event.
void ComparisonSheet::openOther() {
  const int row = table_->currentIndex().row();
  const std::size_t place = row < 0 ? others_.size() : model_->placeOf(row);
  Q_EMIT otherRequested(other_, place < others_.size() ? others_[place] : 0);
}

// Cancels the comparison when the sheet is hidden.
void ComparisonSheet::hideEvent(QHideEvent* event) {
  comparison_.reset();
  Sheet::hideEvent(event);
}

QString ComparisonSheet::summary() const { return summary_->text(); }

}  // namespace shardlens
