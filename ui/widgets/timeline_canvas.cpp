#include "ui/widgets/timeline_canvas.h"

#include "core/model/rank_ranges.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/role_words.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/timeline_paint.h"
#include "ui/widgets/timeline_words.h"
#include "ui/widgets/window_notation.h"

#include <QElapsedTimer>
#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kLaneHeight = 30;
constexpr double kThinLane = 24;  // lane height if the lanes do not fit
constexpr int kFollow = 150;      // ms after which the lanes scroll to the position
constexpr int kAtOnce = 16;       // leaves that are read while painting
constexpr int kReadSlice = 8;     // ms
constexpr int kMostRead = 16384;  // leaves; the cache of the timeline has no room for more

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("timelineCanvas"));
  setAccessibleName(tr("Timeline"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  follow_.setSingleShot(true);
  follow_.setInterval(kFollow);
  connect(&follow_, &QTimer::timeout, this, &TimelineCanvas::showRanks);
  connect(&reading_, &QTimer::timeout, this, &TimelineCanvas::readSlice);
  atEachZoom(this, [this] { grow(); });
}

void TimelineCanvas::setTimeline(const Journal* journal, const view::Timeline* timeline) {
  journal_ = journal;
  timeline_ = timeline;
  position_ = 0;
  showsAll_ = true;
  scene_ = {};
  reading_.stop();
  rows_.clear();
  selectedFrom_.reset();
  clearArea();
  grow();
}

void TimelineCanvas::grow() {
  if (timeline_ != nullptr) {
    const std::int64_t before = rows_.size();
    rows_.update(*timeline_);
    if (showsAll_) showAll();
    layOut();
    if (rows_.size() != before) showRanks();
  }
  layOut();
  changed();
}

void TimelineCanvas::setPosition(EventId position) {
  if (std::exchange(position_, position) == position) {
    return;
  }
  isMoved_ = true;
  if (timeline_ != nullptr && chosen_ == 0) {
    const auto now = atPosition();
    const double x = now ? window_.xOf(now->begin) : 0;
    if (!showsAll_ && (x < 0 || x > window_.width)) {
      showPosition();
    }
    follow_.start();
  }
  viewport()->update();
}

void TimelineCanvas::setMatches(const std::vector<EventId>& events) {
  matches_ = events;
  viewport()->update();
}

std::vector<double> TimelineCanvas::matchPlaces() const {
  std::vector<double> places;
  for (const EventId event : matches_) {
    if (journal_ == nullptr || event > journal_->size()) continue;
    const double x = std::round(window_.xOf(journal_->at(event).time));
    if (x >= 0 && x <= window_.width) places.push_back(x);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void TimelineCanvas::showRanks() {
  constexpr int kMost = 256;  // ranks that are tried
  if (timeline_ == nullptr || position_ == 0 || position_ > journal_->size()) return;
  std::int64_t first = -1;
  int tried = 0;
  auto ranks = parseRankRanges(journal_->text(journal_->at(position_).ranks));
  if (const auto wait = view::collectiveWait(*journal_, position_)) {
    ranks.clear();
    for (const int rank : view::ranksAtFault(*journal_, *wait)) ranks.push_back({rank, rank});
  }
  for (const RankRange& range : ranks) {
    for (int rank = range.first; rank <= range.last && tried < kMost; ++rank, ++tried) {
      const std::int64_t lane = timeline_->laneOf(rank);
      if (lane < 0) continue;
      const std::int64_t row = rows_.rowOf(lane);
      if (row >= window_.firstRow && row + 1 < window_.firstRow + window_.rows) return;
      if (first < 0) first = row;
    }
  }
  if (first >= 0) verticalScrollBar()->setValue(static_cast<int>(first) - window_.rows / 4);
}

void TimelineCanvas::showAll() {
  showsAll_ = true;
  window_.showAll(*timeline_);
  changed();
}

std::optional<view::TimelineSpan> TimelineCanvas::atPosition() const {
  return timeline_ == nullptr ? std::nullopt
                              : timeline_->newestOf(rankOfLaneAt(TimelinePaint::kTop), position_);
}

void TimelineCanvas::showPosition() {
  if (const auto now = atPosition()) {
    showsAll_ = false;
    window_.show(*timeline_, now->begin - window_.length() / 2, window_.length());
    changed();
  }
}

void TimelineCanvas::zoomBy(double times, double x) {
  if (timeline_ != nullptr) {
    showsAll_ = false;
    window_.zoomBy(*timeline_, times,
                   std::clamp((x - TimelinePaint::kLabels) / window_.width, 0.0, 1.0));
    changed();
  }
}

void TimelineCanvas::pan(double pixels) {
  if (timeline_ != nullptr) {
    showsAll_ = false;
    window_.pan(*timeline_, pixels);
    changed();
  }
}

void TimelineCanvas::changed() {
  isStale_ = true;
  viewport()->update();
  Q_EMIT shownChanged();
}

void TimelineCanvas::layOut() {
  const std::int64_t rows = timeline_ == nullptr ? 0 : rows_.size();
  const double high = std::max(1.0, room().height() - TimelinePaint::kTop);
  window_.rowHeight = static_cast<double>(rows) * kLaneHeight > high ? kThinLane : kLaneHeight;
  const auto whole = static_cast<std::int64_t>(high / window_.rowHeight);
  window_.rows = static_cast<int>(whole) + 1;
  window_.width = std::max(1.0, room().width() - TimelinePaint::kLabels - 8);
  QScrollBar* bar = verticalScrollBar();
  bar->setRange(
      0, static_cast<int>(std::max<std::int64_t>(0, rows - std::max<std::int64_t>(whole, 1))));
  bar->setPageStep(static_cast<int>(std::max<std::int64_t>(whole, 1)));
  window_.firstRow = bar->value();
  isStale_ = true;
}

QSizeF TimelineCanvas::room() const { return unzoomed(QSizeF(viewport()->size())); }

bool TimelineCanvas::read(const std::function<bool()>& mayGoOn) {
  if (!isStale_ || timeline_ == nullptr) return true;
  const auto mayRead = [&] { return mayGoOn() && ++leavesRead_ < kMostRead; };
  return leavesRead_ >= kMostRead || prepareTimeline(*timeline_, rows_, window_, mayRead);
}

void TimelineCanvas::readSlice() {
  QElapsedTimer time;
  time.start();
  if (!read([&] { return time.elapsed() < kReadSlice; })) return;
  reading_.stop();
  viewport()->update();
}

const TimelineScene& TimelineCanvas::scene() {
  const bool isMoved = std::exchange(isMoved_, false);
  if (std::exchange(isStale_, false)) {
    leavesRead_ = 0;
    scene_ = timeline_ == nullptr ? TimelineScene()
                                  : layoutTimeline(*journal_, *timeline_, rows_, window_, position_,
                                                   notationOf(*this));
  } else if (isMoved && timeline_ != nullptr) {
    markPosition(scene_, *timeline_, window_, position_);
  }
  return scene_;
}

void TimelineCanvas::resizeEvent(QResizeEvent* /*event*/) {
  layOut();
  changed();
}

void TimelineCanvas::scrollContentsBy(int /*dx*/, int /*dy*/) {
  layOut();
  changed();
}

int TimelineCanvas::rankOfLaneAt(double y) const {
  const auto row =
      window_.firstRow +
      static_cast<std::int64_t>(std::max(0.0, y - TimelinePaint::kTop) / window_.rowHeight);
  return timeline_ == nullptr || row >= rows_.size() ? -1 : timeline_->rankOf(rows_.at(row).lane);
}

std::optional<std::int64_t> TimelineCanvas::rowAt(QPointF place) const {
  const double y = unzoomed(place).y() - TimelinePaint::kTop;
  const auto row = window_.firstRow + static_cast<std::int64_t>(y / window_.rowHeight);
  return timeline_ == nullptr || y < 0 || row >= rows_.size() ? std::nullopt : std::optional(row);
}

std::int64_t TimelineCanvas::timeAt(QPointF place) const {
  return clampedTime(unzoomed(place).x());
}

std::optional<int> TimelineCanvas::rankAt(QPointF place) const {
  const auto row = rowAt(place);
  return row ? std::optional(timeline_->rankOf(rows_.at(*row).lane)) : std::nullopt;
}

void TimelineCanvas::toggleRow(std::int64_t row) {
  rows_.toggle(row);
  layOut();
  changed();
}

std::optional<view::TimelineSpan> TimelineCanvas::spanAt(QPointF place) const {
  const auto rank = rankAt(place);
  const double x = unzoomed(place).x() - TimelinePaint::kLabels;
  return !rank || x < 0 ? std::nullopt : shardlens::spanAt(*timeline_, window_, *rank, x);
}

QString TimelineCanvas::words(QPointF place) {
  const auto row = rowAt(place);
  if (!row) return {};
  const view::TimelineRow at = rows_.at(*row);
  if (unzoomed(place).x() < TimelinePaint::kLabels) {
    return at.lanes > 1 ? similarRanksText(ranksOf(at)) : QString();
  }
  const int rank = timeline_->rankOf(at.lane);
  QStringList parts;
  const double x = unzoomed(place).x() - TimelinePaint::kLabels;
  for (const TimelineLane& lane : scene().lanes) {
    if (lane.row.lane != at.lane) continue;
    for (const TimelineGroup& group : lane.groups) {
      if (group.calls > 1 && group.rect.left() <= x && x <= group.rect.right()) {
        parts << groupWords(*journal_, *timeline_, rank, group);
      }
    }
    for (const TimelineGap& gap : lane.gaps) {
      if (gap.rect.left() <= x) parts << ranksLabel({rank}) + QStringLiteral(": ") + gap.words;
    }
    if (lane.divergence && lane.divergence->rect.left() <= x &&
        x <= lane.divergence->rect.right()) {
      parts << toQString(
          view::divergenceText(*journal_, *timeline_->divergenceOf(rank), notationOf(*this)));
    }
  }
  if (const auto span = spanAt(place)) {
    parts << timelineWords(*journal_, *span, rank, notationOf(*this));
  }
  return parts.join(QStringLiteral("\n\n"));
}

// The position in the first lane, where the context menu opens by the menu key.
QVariant TimelineCanvas::inputMethodQuery(Qt::InputMethodQuery query) const {
  const auto now = query != Qt::ImCursorRectangle ? std::nullopt : atPosition();
  if (!now) {
    return QAbstractScrollArea::inputMethodQuery(query);
  }
  const double x = TimelinePaint::kLabels + std::clamp(window_.xOf(now->begin), 0.0, window_.width);
  const QPointF place =
      QPointF(x, TimelinePaint::kTop + window_.rowHeight / 2) * Zoom::now().factor();
  return QRectF(place, QSizeF(1, 1)).toRect();
}

std::vector<int> TimelineCanvas::ranksOf(const view::TimelineRow& row) const {
  std::vector<int> ranks;
  for (std::int64_t i = 0; i < row.lanes; ++i) ranks.push_back(timeline_->rankOf(row.lane + i));
  return ranks;
}

// "rank 3", "▸ 0–63" for folded ranks, "▸ 0 +15" if these are not consecutive or have three digits,
// for which there is no room; "▾ rank 0" for the first of ranks that can be folded.
QString TimelineCanvas::labelOf(const TimelineLane& lane) const {
  const view::TimelineRow& row = lane.row;
  if (row.lanes > 1) {
    const int last = timeline_->rankOf(row.lane + row.lanes - 1);
    const bool isRange = last - lane.rank + 1 == row.lanes && last < 100;
    return isRange ? tr("▸ %1–%2").arg(lane.rank).arg(last)
                   : tr("▸ %1 +%2").arg(lane.rank).arg(row.lanes - 1);
  }
  const bool canFold = row.alike > 1 && row.isFirst;
  return canFold ? tr("▾ %1").arg(ranksLabel({lane.rank})) : ranksLabel({lane.rank});
}

void TimelineCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  if (timeline_ == nullptr) {
    return;
  }
  shardlens::zoom(painter);
  int leaves = kAtOnce;
  if (!isReading() && !read([&] { return leaves-- > 0; })) reading_.start(0);
  const TimelineScene& all = isReading() ? scene_ : scene();
  const TimelinePaint paint{painter, window_, room()};
  paint.drawTicks();
  paint.drawExposed(all.exposed);
  paint.drawMatches(matchPlaces());
  for (const TimelineLane& lane : all.lanes) {
    drawLine(painter,
             QRectF(12, lane.rect.top() + TimelinePaint::kTop, TimelinePaint::kLabels - 14,
                    lane.rect.height()),
             labelOf(lane), theme().muted, textFont(11));
  }
  paint.drawScene(all);
  if (area_) {
    paint.drawArea(area_->from, area_->to, rows_.rowOf(area_->firstLane),
                   rows_.rowOf(area_->lastLane));
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawRect(QRectF(QPointF(), room()).adjusted(1, 1, -1, -1));
  }
}

bool TimelineCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), words(help->pos()), viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace shardlens
