#include "ui/panels/timeline_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/clock_words.h"
#include "ui/panels/timeline_totals_box.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/timeline_canvas.h"
#include "ui/widgets/window_notation.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr std::int64_t kReadSlice = 8;       // ms per slice
constexpr std::int64_t kShow = 250;          // ms between two updates of the view while reading
constexpr std::int64_t kSpansAtOnce = 8192;  // spans per take(), over all ranks
constexpr std::int64_t kMostSummed = 16;     // ranks that the header sums

}  // namespace

TimelinePanel::TimelinePanel(QWidget* parent)
    : Panel(parent),
      canvas_(new TimelineCanvas(this)),
      totals_(new TimelineTotalsBox),
      none_(new QLabel) {
  totals_->hide();
  none_->setObjectName(QStringLiteral("noTimeline"));
  atEachZoom(none_, [this] { none_->setFont(zoomed(textFont(12))); });
  none_->setForegroundRole(kMutedRole);
  none_->setTextFormat(Qt::PlainText);
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 1);
  layout->addWidget(canvas_, 3);
  layout->addWidget(totals_, 2);
  layout->addWidget(none_, 1);
  connect(canvas_, &TimelineCanvas::clicked, this, &Panel::positionRequested);
  connect(canvas_, &TimelineCanvas::shownChanged, this, &TimelinePanel::showLegend);
  connect(canvas_, &TimelineCanvas::areaChanged, this, &TimelinePanel::showArea);
  connect(totals_, &TimelineTotalsBox::closeRequested, canvas_, &TimelineCanvas::clearArea);
  leadToEvents(totals_->names());
  connect(&slices_, &QTimer::timeout, this, &TimelinePanel::takeSlice);
  showLegend();
}

void TimelinePanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  position_ = snapshot.position;
  const bool isOther = std::exchange(journal_, &journal) != &journal;
  if (isOther || !timeline_ || timeline_->ranks() != hostedRanges(journal)) {
    // A running recording reports its ranks before its first event.
    const auto before = std::move(timeline_);
    canvas_->setTimeline(nullptr, nullptr);
    timeline_ = journal.size() == 0 ? nullptr : std::make_unique<view::Timeline>(journal);
    canvas_->setTimeline(&journal, timeline_.get());
    shown_ = 0;
    sinceShown_.start();
  }
  if (timeline_) {
    slices_.start(0);
  } else {
    slices_.stop();
  }
  const view::Notation notation = notationOf(*this);
  if (std::exchange(notation_, notation) != notation) {
    canvas_->grow();
  }
  canvas_->setPosition(position_);
}

void TimelinePanel::setMatches(const std::vector<EventId>& events) { canvas_->setMatches(events); }

void TimelinePanel::offerAt(QMenu& menu, QPoint place) {
  const QPointF there = canvas_->viewport()->mapFrom(this, place);
  if (const auto span = canvas_->spanAt(there)) {
    const QString words = canvas_->words(there);
    connect(menu.addAction(tr("Go to event")), &QAction::triggered, this,
            [this, event = span->event] { Q_EMIT positionRequested(event); });
    connect(menu.addAction(tr("Copy")), &QAction::triggered, this,
            [words] { QGuiApplication::clipboard()->setText(words); });
    offerSimilar(menu, tr("event"), span->event);
  }
  if (const auto row = canvas_->rowAt(there)) {
    const view::TimelineRow at = canvas_->rows().at(*row);
    if (at.alike > 1) {
      connect(menu.addAction(at.lanes > 1 ? tr("Unfold similar ranks") : tr("Fold similar ranks")),
              &QAction::triggered, this, [this, row = *row] { canvas_->toggleRow(row); });
    }
    const std::int64_t time = canvas_->timeAt(there);
    connect(menu.addAction(tr("Select from here")), &QAction::triggered, this,
            [this, time] { canvas_->beginArea(time); });
    connect(menu.addAction(tr("Select up to here")), &QAction::triggered, this,
            [this, time] { canvas_->endArea(time); });
  }
  if (const auto rank = canvas_->rankAt(there)) {
    offerQuery(menu, tr("rank"), QStringLiteral("rank:%1").arg(*rank));
  }
}

void TimelinePanel::takeSlice() {
  if (canvas_->isReading()) return;
  QElapsedTimer time;
  time.start();
  const std::int64_t lanes = journal_->isMerged() ? timeline_->lanes() : 1;
  const auto events = static_cast<EventId>(
      std::max<std::int64_t>(1, kSpansAtOnce / std::max<std::int64_t>(1, lanes)));
  bool hasMore = timeline_->take(events);
  while (hasMore && time.elapsed() < kReadSlice) {
    hasMore = timeline_->take(events);
  }
  if (!hasMore) {
    if (!timeline_->search([&] { return time.elapsed() < kReadSlice; })) return;
    slices_.stop();
  }
  const bool mayHaveEnded = timeline_->hasRunning();
  // The layout of many ranks takes longer than a slice, so it waits for the last one.
  const bool isDue = lanes <= view::Timeline::kMostUnfolded && sinceShown_.elapsed() >= kShow;
  if (hasMore ? isDue : shown_ != timeline_->taken() || mayHaveEnded) {
    timeline_->update();
    canvas_->grow();
    showLegend();
    showArea();
    shown_ = timeline_->taken();
    sinceShown_.restart();
  }
}

// Returns the sums over the visible time, averaged over up to kMostSummed ranks, which are spread
// over all lanes.
QString TimelinePanel::sumsText() const {
  const TimelineWindow& shown = canvas_->shown();
  const view::TimelineGrid cut(shown.from, shown.to, 1);
  view::TimelineColumn sum;
  const std::int64_t all = timeline_->lanes();
  const std::int64_t lanes = std::min(journal_->isMerged() ? all : 1, kMostSummed);
  for (std::int64_t i = 0; i < lanes; ++i) {
    sum.add(timeline_->columns(timeline_->rankOf(i * all / lanes), cut).front());
  }
  const auto mesh = recordedMesh(*journal_);
  QStringList parts{tr("%1 – %2").arg(durationText(std::max<std::int64_t>(shown.from, 0)),
                                      durationText(std::min(shown.to, timeline_->end())))};
  const auto add = [&](const QString& name, std::int64_t time) {
    const std::int64_t average = time / std::max<std::int64_t>(1, lanes);
    if (average > shown.to - shown.from) {
      parts << tr("%1 %2, several at a time").arg(name, durationText(average));
    } else if (time > 0) {
      parts << tr("%1 %2").arg(name, durationText(average));
    }
  };
  add(tr("compute"), sum.compute);
  for (std::size_t axis = 0; axis < sum.collectives.size(); ++axis) {
    const bool isNamed =
        mesh && static_cast<int>(axis) < mesh->ndim() && axis + 1 < sum.collectives.size();
    add(isNamed ? toQString(mesh->names()[axis]) : tr("other collectives"), sum.collectives[axis]);
  }
  add(tr("waiting"), sum.waiting);
  if (lanes > 1) parts << (lanes == all ? tr("per rank") : tr("per rank, of %1 ranks").arg(lanes));
  return parts.join(QStringLiteral("  ·  "));
}

void TimelinePanel::showArea() {
  const auto& area = canvas_->area();
  totals_->setVisible(area.has_value());
  if (area && timeline_) {
    totals_->setArea(*journal_, *timeline_, *area);
  }
}

void TimelinePanel::showLegend() {
  const bool hasSpans = timeline_ && timeline_->hasTimes();
  canvas_->setVisible(hasSpans);
  none_->setVisible(!hasSpans);
  if (hasSpans) {
    header()->setDetail(toQString(view::clocksText(*journal_)));
    header()->setNote(sumsText());
    canvas_->setAccessibleDescription(header()->note());
    return;
  }
  header()->setDetail({});
  header()->setNote({});
  none_->setText(!timeline_ ? tr("No events yet. The timeline shows the activity of each rank.")
                 : timeline_->taken() < journal_->size() ? tr("Reading times…")
                 : timeline_->lanes() == 0
                     ? tr("This recording names no ranks, so the timeline is empty.")
                     : tr("This recording contains no times. Events shows the order of events."));
}

}  // namespace shardlens
