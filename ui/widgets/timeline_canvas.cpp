#include "ui/widgets/timeline_canvas.h"

#include "core/view/words/event_sentences.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/timeline_paint.h"
#include "ui/widgets/window_notation.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStringList>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kLabels = 66;  // width of the rank names at the left
constexpr double kTicks = 18;   // height of the times at the top
constexpr double kLaneHeight = 30;
constexpr double kThinLane = 24;  // lane height if the lanes do not fit

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("timelineCanvas"));
  setAccessibleName(tr("Timeline"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  atEachZoom(this, [this] { grow(); });
}

void TimelineCanvas::setTimeline(const Journal* journal, const view::Timeline* timeline) {
  journal_ = journal;
  timeline_ = timeline;
  position_ = 0;
  showsAll_ = true;
  grow();
}

void TimelineCanvas::grow() {
  if (timeline_ != nullptr && showsAll_) {
    showAll();
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
    const auto now = timeline_->newestOf(rankOfLaneAt(kTicks), position_);
    const double x = now ? window_.xOf(now->begin) : 0;
    if (!showsAll_ && (x < 0 || x > window_.width)) {
      showPosition();
    }
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

void TimelineCanvas::showAll() {
  showsAll_ = true;
  const std::int64_t begin = timeline_->workBegin();
  const std::int64_t length = std::max<std::int64_t>(timeline_->end() - begin, 1);
  window_.from = begin - length / 100;
  // Leaves room for what has not ended.
  window_.to = begin + length + length / (timeline_->hasRunning() ? 5 : 50) + 1;
  changed();
}

void TimelineCanvas::showPosition() {
  const auto now = timeline_ ? timeline_->newestOf(rankOfLaneAt(kTicks), position_) : std::nullopt;
  if (now) {
    const std::int64_t length = window_.to - window_.from;
    show(now->begin - length / 2, length);
  }
}

// Shows an interval of at least a nanosecond and at most slightly more than the whole timeline.
void TimelineCanvas::show(std::int64_t from, std::int64_t length) {
  const std::int64_t all = std::max<std::int64_t>(timeline_->end() - timeline_->begin(), 1);
  const std::int64_t most = all + all / 20 + 1;
  length = std::clamp<std::int64_t>(length, 1, most);
  const std::int64_t least = timeline_->begin() - length / 20;
  window_.from = std::clamp(from, least, std::max(least, timeline_->end() - length * 19 / 20));
  window_.to = window_.from + length;
  showsAll_ = false;
  changed();
}

void TimelineCanvas::zoomBy(double times, double x) {
  if (timeline_ == nullptr) {
    return;
  }
  const auto length = static_cast<double>(window_.to - window_.from);
  const double part = std::clamp((x - kLabels) / window_.width, 0.0, 1.0);
  double next = std::floor(length / times);
  if (times < 1) next = std::max(next, length + 1);
  show(window_.from + static_cast<std::int64_t>(part * (length - std::max(next, 1.0))),
       static_cast<std::int64_t>(std::min(next, 4e18)));
}

void TimelineCanvas::pan(double pixels) {
  if (timeline_ == nullptr) {
    return;
  }
  const std::int64_t length = window_.to - window_.from;
  show(window_.from + std::llround(pixels / window_.width * static_cast<double>(length)), length);
}

void TimelineCanvas::changed() {
  isStale_ = true;
  viewport()->update();
  Q_EMIT shownChanged();
}

void TimelineCanvas::layOut() {
  const std::int64_t lanes = timeline_ == nullptr ? 0 : timeline_->lanes();
  const double high = std::max(1.0, room().height() - kTicks);
  window_.laneHeight = static_cast<double>(lanes) * kLaneHeight > high ? kThinLane : kLaneHeight;
  const auto whole = static_cast<std::int64_t>(high / window_.laneHeight);
  window_.lanes = static_cast<int>(whole) + 1;
  window_.width = std::max(1.0, room().width() - kLabels - 8);
  QScrollBar* bar = verticalScrollBar();
  bar->setRange(
      0, static_cast<int>(std::max<std::int64_t>(0, lanes - std::max<std::int64_t>(whole, 1))));
  bar->setPageStep(static_cast<int>(std::max<std::int64_t>(whole, 1)));
  window_.firstLane = bar->value();
  isStale_ = true;
}

QSizeF TimelineCanvas::room() const { return unzoomed(QSizeF(viewport()->size())); }

const TimelineScene& TimelineCanvas::scene() {
  const bool isMoved = std::exchange(isMoved_, false);
  if (std::exchange(isStale_, false)) {
    scene_ = timeline_ == nullptr
                 ? TimelineScene()
                 : layoutTimeline(*journal_, *timeline_, window_, position_, notationOf(*this));
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
  const auto lane = static_cast<std::int64_t>(std::max(0.0, y - kTicks) / window_.laneHeight);
  return timeline_ == nullptr ? -1 : timeline_->rankOf(window_.firstLane + lane);
}

std::optional<int> TimelineCanvas::rankAt(QPointF place) const {
  const double y = unzoomed(place).y();
  const int rank = y < kTicks ? -1 : rankOfLaneAt(y);
  return rank < 0 ? std::nullopt : std::optional(rank);
}

std::optional<view::TimelineSpan> TimelineCanvas::spanAt(QPointF place) const {
  const auto rank = rankAt(place);
  const double x = unzoomed(place).x() - kLabels;
  return !rank || x < 0 ? std::nullopt : shardlens::spanAt(*timeline_, window_, *rank, x);
}

QString TimelineCanvas::words(QPointF place) const {
  const auto span = spanAt(place);
  if (!span) {
    return {};
  }
  const int rank = *rankAt(place);
  QStringList lines;
  lines << toQString(view::EventSentences(*journal_, notationOf(*this)).text(span->event).plain());
  QString when = tr("%1 at %2").arg(ranksLabel({rank}), durationText(span->begin));
  if (!isMoment(span->kind)) {
    const bool isRunning = span->end == view::TimelineSpan::kForever;
    when +=
        isRunning ? tr(", unfinished") : tr(", for %1").arg(durationText(span->end - span->begin));
  }
  lines << when;
  if (const auto event = journal_->at(span->event); event.device != 0) {
    lines << toQString(journal_->text(event.device));
  }
  if (span->wait > 0) {
    lines << (span->begin + span->wait >= view::TimelineSpan::kForever
                  ? tr("waits for ranks that have not arrived")
                  : tr("waits for other ranks: %1").arg(durationText(span->wait)));
  }
  if (span->late > 0) {
    lines << tr("arrives last, %1 after the first rank").arg(durationText(span->late));
  }
  return lines.join(u'\n');
}

// The position in the first lane, where the context menu opens by the menu key.
QVariant TimelineCanvas::inputMethodQuery(Qt::InputMethodQuery query) const {
  const auto now = query != Qt::ImCursorRectangle || timeline_ == nullptr
                       ? std::nullopt
                       : timeline_->newestOf(rankOfLaneAt(kTicks), position_);
  if (!now) {
    return QAbstractScrollArea::inputMethodQuery(query);
  }
  const double x = kLabels + std::clamp(window_.xOf(now->begin), 0.0, window_.width);
  const QPointF place = QPointF(x, kTicks + window_.laneHeight / 2) * Zoom::now().factor();
  return QRectF(place, QSizeF(1, 1)).toRect();
}

void TimelineCanvas::drawTicks(QPainter& painter) const {
  const std::int64_t length = window_.to - window_.from;
  const std::int64_t interval =
      tickInterval(length, std::max(2, static_cast<int>(window_.width / 90)));
  painter.setPen(QPen(theme().border, 1));
  for (std::int64_t after = 0; after < length; after += interval) {
    const double x = std::floor(kLabels + window_.xOf(window_.from + after)) + 0.5;
    painter.setPen(QPen(theme().border, 1));
    painter.drawLine(QPointF(x, 3), QPointF(x, room().height()));
    const QString time = after == 0
                             ? durationText(window_.from - std::min<std::int64_t>(window_.from, 0))
                             : QStringLiteral("+") + durationText(after);
    if (x + 4 + QFontMetricsF(textFont(10)).horizontalAdvance(time) <= room().width()) {
      drawLine(painter, QRectF(x + 4, 1, 84, kTicks - 2), time, theme().muted, textFont(10));
    }
  }
}

void TimelineCanvas::drawMatches(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().accent);
  for (const double x : matchPlaces()) {
    const QPointF tip(kLabels + x, kTicks);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-3, -5), tip + QPointF(3, -5)}));
  }
}

void TimelineCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  if (timeline_ == nullptr) {
    return;
  }
  shardlens::zoom(painter);
  drawTicks(painter);
  drawMatches(painter);
  const TimelineScene& all = scene();
  const double nanoseconds = static_cast<double>(window_.to - window_.from) / window_.width;
  for (const TimelineLane& lane : all.lanes) {
    drawLine(painter, QRectF(12, lane.rect.top() + kTicks, kLabels - 14, lane.rect.height()),
             ranksLabel({lane.rank}), theme().muted, textFont(11));
  }
  painter.save();
  painter.translate(kLabels, kTicks);
  painter.setClipRect(QRectF(0, 0, window_.width, room().height()));
  for (const TimelineLane& lane : all.lanes) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawColumns(painter, lane, nanoseconds);
    for (const TimelineBar& bar : lane.bars) {
      drawBar(painter, bar);
    }
    for (const TimelineGap& gap : lane.gaps) {
      drawGap(painter, gap);
    }
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (const TimelineFrame& frame : all.frames) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawRoundedRect(frame.rect, 2.5, 2.5);
    drawLine(painter, frame.textRoom(), frame.text, theme().text, textFont(11, Weight::Bold),
             Qt::AlignCenter);
  }
  for (const TimelineLane& lane : all.lanes) {
    for (const TimelineBar& bar : lane.bars) {
      if (!bar.text.isEmpty()) {
        drawLine(painter, bar.room, bar.text, theme().text, textFont(11));
      }
      if (bar.isLate) {
        drawLate(painter, bar);
      }
    }
    for (const TimelineMoment& moment : lane.moments) {
      drawMoment(painter, moment);
    }
    painter.setPen(QPen(theme().bad, 1.6));
    painter.drawLine(QPointF(lane.mark, lane.rect.top() - 2),
                     QPointF(lane.mark, lane.rect.top() - 2 + window_.laneHeight));
  }
  painter.restore();
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawRect(QRectF(QPointF(), room()).adjusted(1, 1, -1, -1));
  }
}

bool TimelineCanvas::event(QEvent* event) {
  // Reserve the widget's keys before the window's shortcuts take them.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool pans = (key->modifiers() & Qt::ShiftModifier) != 0 &&
                      (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right);
    const auto keys = {Qt::Key_Plus, Qt::Key_Equal, Qt::Key_Minus, Qt::Key_0, Qt::Key_Return};
    const bool isOwn = std::find(keys.begin(), keys.end(), key->key()) != keys.end();
    if ((key->modifiers() & Qt::ControlModifier) == 0 && (pans || isOwn)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (timeline_ == nullptr) {
    return QAbstractScrollArea::keyPressEvent(event);
  }
  const auto now = timeline_->newestOf(rankOfLaneAt(kTicks), position_);
  const double mark = now ? window_.xOf(now->begin) : -1;
  const double centre = kLabels + (mark >= 0 && mark <= window_.width ? mark : window_.width / 2);
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(1.5, centre);
    case Qt::Key_Minus:
      return zoomBy(1 / 1.5, centre);
    case Qt::Key_0:
      return showAll();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return showPosition();
    case Qt::Key_Left:
    case Qt::Key_Right:
      if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        return pan(window_.width / (event->key() == Qt::Key_Left ? -10 : 10));
      }
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const QPointF moved = event->angleDelta();
  if (unzoomed(event->position()).x() < kLabels) {
    return QAbstractScrollArea::wheelEvent(event);
  }
  if ((event->modifiers() & Qt::ShiftModifier) != 0 || moved.x() != 0) {
    pan(-(moved.x() != 0 ? moved.x() : moved.y()) / 2);
  } else {
    zoomBy(std::pow(1.25, moved.y() / 120), unzoomed(event->position()).x());
  }
  event->accept();
}

void TimelineCanvas::choose(QPointF place) {
  const int lanes = static_cast<int>(scene().lanes.size());
  if (lanes == 0) {
    return;
  }
  const double y = std::clamp(place.y(), kTicks, kTicks + lanes * window_.laneHeight - 1);
  const double x = std::clamp(place.x() - kLabels, 0.0, window_.width);
  const auto span = timeline_->newestAt(rankOfLaneAt(y), window_.timeAt(x));
  if (span && std::exchange(chosen_, span->event) != span->event) {
    Q_EMIT clicked(span->event);
  }
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  dragged_ = unzoomed(event->position()).x();
  if (event->button() == Qt::LeftButton) {
    choose(unzoomed(event->position()));
  }
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) {
    choose(unzoomed(event->position()));
  } else if ((event->buttons() & Qt::MiddleButton) != 0) {
    const double x = unzoomed(event->position()).x();
    pan(std::exchange(dragged_, x) - x);
  }
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* /*event*/) { chosen_ = 0; }

bool TimelineCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), words(help->pos()), viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace shardlens
