#include "ui/pages/open_steps_dialog.h"

#include "core/model/step_number.h"
#include "core/model/step_ranges.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr std::int64_t kOffered = 10;  // steps at the end of the run that are offered

QLabel* stepsNote(const QString& text) {
  auto* label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  label->setFont(zoomed(textFont(12)));
  label->setForegroundRole(kMutedRole);
  label->setWordWrap(true);
  return label;
}

QString sizeOfRunText(const RunOfSteps& run) {
  if (run.events == 0) {
    return OpenStepsDialog::tr("Opening some steps of %1 takes less time and memory.")
        .arg(run.name);
  }
  return OpenStepsDialog::tr(
             "%1 has %2 in %3, of %4. Opening some steps takes less time and "
             "memory.")
      .arg(run.name,
           countText(run.events, OpenStepsDialog::tr("event"), OpenStepsDialog::tr("events")),
           countText(run.steps, OpenStepsDialog::tr("step"), OpenStepsDialog::tr("steps")),
           countText(run.ranks, OpenStepsDialog::tr("rank"), OpenStepsDialog::tr("ranks")));
}

QString offeredText(const RunOfSteps& run) {
  if (!run.opened.empty()) return toQString(stepRangesText(run.opened));
  const std::int64_t last = std::max(run.steps, run.last);
  const std::int64_t first = std::max<std::int64_t>(1, last - kOffered + 1);
  return last > 1 ? QStringLiteral("%1-%2").arg(first).arg(last) : QStringLiteral("1");
}

}  // namespace

QString namedSteps(const std::vector<RankRange>& steps) {
  const QString text = toQString(stepRangesText(steps));
  return rankCount(steps) == 1 ? OpenStepsDialog::tr("step %1").arg(text)
                               : OpenStepsDialog::tr("steps %1").arg(text);
}

OpenStepsDialog::OpenStepsDialog(RunOfSteps run, QWidget* parent)
    : QDialog(parent),
      run_(std::move(run)),
      steps_(new QLineEdit(offeredText(run_))),
      status_(stepsNote({})),
      open_(new QPushButton(tr("Open steps"))) {
  setObjectName(QStringLiteral("openStepsDialog"));
  setWindowTitle(tr("Open steps"));
  setMinimumWidth(zoomed(460));
  steps_->setObjectName(QStringLiteral("openStepsField"));
  steps_->setAccessibleName(tr("Steps to open"));
  steps_->setPlaceholderText(QStringLiteral("3-5,8"));
  status_->setObjectName(QStringLiteral("openStepsStatus"));
  open_->setObjectName(QStringLiteral("openStepsStart"));
  open_->setAccessibleName(tr("Open these steps"));
  open_->setProperty("primary", true);
  open_->setDefault(true);
  auto* all = new QPushButton(tr("Open all"));
  all->setObjectName(QStringLiteral("openStepsAll"));
  all->setAccessibleName(tr("Open all steps"));
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("openStepsCancel"));
  cancel->setAccessibleName(tr("Close without opening steps"));

  auto* form = new QFormLayout;
  form->addRow(tr("Steps"), steps_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  for (QPushButton* button : {cancel, all, open_}) buttons->addWidget(button);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(14);
  column->addWidget(stepsNote(sizeOfRunText(run_)));
  column->addLayout(form);
  column->addWidget(status_);
  column->addLayout(buttons);
  connect(steps_, &QLineEdit::textChanged, this, &OpenStepsDialog::check);
  connect(open_, &QPushButton::clicked, this,
          [this] { choose(*parseSteps(steps_->text().trimmed().toStdString())); });
  connect(all, &QPushButton::clicked, this, [this] { choose({}); });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  steps_->selectAll();
  check();
}

// The number of events is an estimate, because only their sum is known before they are read. The
// event of a collective counts once per rank, as in the sum.
void OpenStepsDialog::check() {
  const auto ranges = parseSteps(steps_->text().trimmed().toStdString());
  const bool isBeyond = ranges && run_.last > 0 && stepNumber(ranges->back().last) > run_.last;
  open_->setEnabled(ranges && !isBeyond);
  if (!open_->isEnabled()) {
    status_->setText(run_.last > 0
                         ? tr("Expected steps from 1 to %1, for example 3-5,8.").arg(run_.last)
                         : tr("Expected steps from 1, for example 3-5,8."));
  } else if (run_.events > 0 && run_.steps > 0 && run_.steps == run_.last) {
    const std::int64_t count = rankCount(*ranges);
    const QString events = countText(run_.events * count / run_.steps, tr("event"), tr("events"));
    status_->setText((run_.ranks > 1 ? tr("%1 of %2 steps, about %3 of all ranks.")
                                     : tr("%1 of %2 steps, about %3."))
                         .arg(QString::number(count), QString::number(run_.steps), events));
  } else {
    status_->clear();
  }
}

void OpenStepsDialog::choose(const std::vector<RankRange>& steps) {
  Q_EMIT chosen(steps);
  accept();
}

}  // namespace shardlens
