#include "ui/panels/overview_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "ui/models/problem_watch.h"
#include "ui/models/run_totals.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr std::size_t kWorst = 3;

QLabel* richLabel(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setTextFormat(Qt::RichText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  return label;
}

QString memoryText(const TensorMemory& memory) {
  return memory.least == memory.most
             ? OverviewPanel::tr("%1 on each rank").arg(bytesText(memory.most))
             : OverviewPanel::tr("%1 to %2 per rank, most on rank %3")
                   .arg(bytesText(memory.least), bytesText(memory.most))
                   .arg(memory.rank);
}

// Returns the bytes by mesh axis, as sentText(); without bytes in an imported log, "3 collectives,
// bytes unknown".
QString sentTextOf(const Journal& journal) {
  const auto bytes = bytesByAxis(journal);
  const auto count = journal.totals().count(EventKind::Collective);
  const QString collectives =
      countText(count, OverviewPanel::tr("collective"), OverviewPanel::tr("collectives"));
  const bool isUnknown =
      std::ranges::all_of(bytes, [](const auto& axis) { return axis.second == 0; });
  return isUnknown && count > 0 && isImported(journal)
             ? OverviewPanel::tr("%1, bytes unknown").arg(collectives)
             : sentText(bytes, OverviewPanel::tr("in %1").arg(collectives));
}

// Returns the number of implicit redistributions that send; empty for an imported log without
// redistributions, which does not state them.
QString implicitText(const Journal& journal) {
  const EventTotals& totals = journal.totals();
  if (isImported(journal) && totals.count(EventKind::Redistribute) == 0) return {};
  return countText(totals.implicit(), OverviewPanel::tr("redistribution that sends"),
                   OverviewPanel::tr("redistributions that send"));
}

// Returns the sentence of a problem. The message of an error that a step has raised may be long:
// returns its first words, because Problems has the whole text.
QString shortSentence(const Problem& problem) {
  constexpr qsizetype kLongest = 60;
  const QString sentence = toQString(problem.sentence);
  if (problem.rule != "refused-step" || sentence.size() <= kLongest) return sentence;
  const qsizetype space = sentence.lastIndexOf(u' ', kLongest);
  return sentence.left(space > kLongest / 2 ? space : kLongest) + u'…';
}

}  // namespace

OverviewPanel::OverviewPanel(QWidget* parent)
    : Panel(parent),
      totals_(richLabel("overviewTotals")),
      problems_(richLabel("overviewProblems")) {
  totals_->setAccessibleName(tr("Totals of the recording"));
  problems_->setAccessibleName(tr("The worst problems"));
  auto* body = new QWidget;
  column_ = new QVBoxLayout(body);
  column_->setContentsMargins(13, 10, 13, 10);
  column_->addWidget(totals_);
  column_->addWidget(problems_);
  column_->addStretch(1);
  scroll_ = new QScrollArea;
  scroll_->setWidget(body);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setAutoFillBackground(false);
  body->setAutoFillBackground(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 2);
  layout->addWidget(scroll_);
  atEachZoom(this, [this] {
    totals_->setFont(zoomed(textFont(12)));
    problems_->setFont(zoomed(textFont(12)));
  });
  connect(problems_, &QLabel::linkActivated, this, [this](const QString& link) {
    if (const EventId event = link.toUInt(); event != 0) {
      Q_EMIT positionRequested(event);
    }
  });
}

void OverviewPanel::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, &OverviewPanel::showProblems);
  showProblems();
}

void OverviewPanel::setSnapshot(const Journal& journal, const Snapshot& /*snapshot*/) {
  journal_ = &journal;
  showTotals();
  showProblems();
}

// Adding up the bytes of thousands of groups and the sizes of thousands of tensors takes
// milliseconds, too long for each step.
void OverviewPanel::showTotals() {
  if (journal_ == nullptr || journal_->size() == 0) {
    shown_ = {};  // another journal may get the address of this one
    totals_->setText(tr("No events yet."));
    return;
  }
  const EventTotals& totals = journal_->totals();
  State state{journal_,
              totals.count(),
              totals.running(),
              journal_->tensors(),
              std::string(journal_->meta("mesh")),
              std::string(journal_->meta("hosted"))};
  if (state == shown_) {
    return;
  }
  shown_ = std::move(state);
  const auto memory = tensorMemory(*journal_);
  const auto time = totals.end() - totals.begin();
  const auto ranks = rankCount(hostedRanges(*journal_));
  const auto steps = totals.count(EventKind::Step);
  QStringList size;
  if (ranks > 0) size << countText(ranks, tr("rank"), tr("ranks"));
  if (steps > 0) size << countText(steps, tr("step"), tr("steps"));
  size << countText(journal_->size(), tr("event"), tr("events"));
  if (time > 0) size << durationText(time);
  const QString rows = tableRow(tr("run"), size.join(QStringLiteral(" · "))) +
                       tableRow(tr("sent"), sentTextOf(*journal_)) +
                       tableRow(tr("implicit"), implicitText(*journal_)) +
                       tableRow(tr("tensors"), memory ? memoryText(*memory) : QString());
  totals_->setText(QStringLiteral("<table>%1</table>").arg(rows));
  putFirst();
}

void OverviewPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  putFirst();
}

// Puts the problems above the totals if the panel is too low for both.
void OverviewPanel::putFirst() {
  const bool hasProblems = watch_ != nullptr && !watch_->problems()->empty();
  const int width = scroll_->viewport()->width();
  const bool isLow = column_->totalHeightForWidth(width) > scroll_->height();
  const int place = hasProblems && isLow ? 0 : 1;
  if (column_->indexOf(problems_) != place) {
    column_->removeWidget(problems_);
    column_->insertWidget(place, problems_);
  }
}

// Errors come first in the list of problems.
void OverviewPanel::showProblems() {
  if (watch_ == nullptr) {
    return;
  }
  const auto& all = *watch_->problems();
  header()->setNote(watch_->summary());
  QStringList rows;
  for (std::size_t i = 0; i < std::min(all.size(), kWorst); ++i) {
    const Problem& problem = all[i];
    QString text = shortSentence(problem).toHtmlEscaped();
    text.replace(QStringLiteral("-&gt;"), QStringLiteral("→"));  // lines may break inside of ->
    const EventId event = problem.events.empty() ? 0 : problem.events.front();
    const QColor colour = problem.severity == Problem::Severity::Error ? theme().bad : theme().warn;
    const QString sign = QStringLiteral("<span style='color: %1'>●</span> ").arg(colour.name());
    rows << sign + (event == 0 ? text
                               : QStringLiteral("<a href='%1' style='color: %2'>%3</a>")
                                     .arg(QString::number(event), theme().accent.name(), text));
    if (const QString where = toQString(whereText(problem)); !where.isEmpty()) {
      rows.back() += QStringLiteral("<br><small>%1</small>").arg(where.toHtmlEscaped());
    }
  }
  if (rows.isEmpty()) {
    rows << (watch_->isSearching() ? tr("Searching for problems…") : tr("No problems found."));
  } else if (all.size() > kWorst) {
    rows << tr("%1 more in Problems").arg(all.size() - kWorst);
  }
  problems_->setText(QStringLiteral("<p>%1</p>").arg(rows.join(QStringLiteral("</p><p>"))));
  putFirst();
}

}  // namespace shardlens
