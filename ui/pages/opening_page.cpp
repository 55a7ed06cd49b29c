#include "ui/pages/opening_page.h"

#include "ui/models/run_totals.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <string>

namespace shardlens {
namespace {

constexpr std::size_t kMostSequences = 16;

// Lists the ranks that record equal events, a line each.
QString sequenceRows(const RunSummary& run) {
  const auto programs = run.programs();
  QString rows = tableRow(OpeningPage::tr("event sequences"), QString::number(programs.size()));
  if (programs.size() == 1) {
    return rows;
  }
  for (std::size_t i = 0; i < std::min(programs.size(), kMostSequences); ++i) {
    rows += tableRow({}, OpeningPage::tr("ranks %1").arg(toQString(rangesText(programs[i]))));
  }
  if (programs.size() > kMostSequences) {
    rows += tableRow({}, OpeningPage::tr("%1 more").arg(programs.size() - kMostSequences));
  }
  return rows;
}

QString totalsText(const RunSummary& run) {
  std::int64_t longest = 0;
  for (const auto& file : run.files) {
    longest = std::max(longest, file.summary.end - file.summary.begin);
  }
  const bool isGrowing = std::ranges::any_of(
      run.files, [](const SummarizedFile& file) { return !file.summary.isClosed; });
  const QString events = QString::number(run.events());
  const QString rows =
      tableRow(OpeningPage::tr("ranks"), QString::number(rankCount(run.hosted()))) +
      tableRow(OpeningPage::tr("events of all ranks"),
               isGrowing ? OpeningPage::tr("%1 or more").arg(events) : events) +
      tableRow(OpeningPage::tr("steps"), QString::number(run.steps())) +
      tableRow(OpeningPage::tr("time"), durationText(longest)) +
      tableRow(OpeningPage::tr("collectives of all ranks"),
               QString::number(run.count(EventKind::Collective))) +
      tableRow(OpeningPage::tr("sent"), sentText(bytesByAxis(run))) + sequenceRows(run);
  return QStringLiteral("<table>%1</table>").arg(rows);
}

}  // namespace

OpeningPage::OpeningPage(QWidget* parent)
    : QWidget(parent), title_(new QLabel), totals_(new QLabel) {
  setObjectName(QStringLiteral("openingPage"));
  totals_->setObjectName(QStringLiteral("openingTotals"));
  totals_->setAccessibleName(tr("Totals of the run"));
  totals_->setTextFormat(Qt::RichText);
  totals_->setWordWrap(true);
  totals_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* inner = new QWidget;
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(36, 44, 36, 36);
  column->setSpacing(8);
  column->addWidget(title_);
  column->addWidget(totals_);
  column->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setWidget(inner);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->viewport()->setAutoFillBackground(false);
  inner->setAutoFillBackground(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  atEachZoom(this, [this] {
    title_->setFont(zoomed(textFont(20, Weight::Bold)));
    totals_->setFont(zoomed(textFont(13)));
  });
}

void OpeningPage::setRun(const QString& name, const RunSummary& summary) {
  title_->setText(tr("Opening %1").arg(name));
  totals_->setText(totalsText(summary));
}

}  // namespace shardlens
