#include "ui/widgets/timeline_paint.h"

#include "ui/scenes/colour.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <vector>

namespace shardlens {
namespace {

using view::SpanKind;

QColor implicitFill() { return mixed(theme().bad, theme().card, 0.7); }

QColor fillOf(SpanKind kind, bool isWaiting) {
  if (isWaiting) return mixed(theme().muted, theme().card, 0.6);
  switch (kind) {
    case SpanKind::Step:
      return theme().inset;
    case SpanKind::Operator:
      return mixed(theme().muted, theme().card, 0.8);
    case SpanKind::Compute:
      return mixed(theme().good, theme().card, 0.64);
    default:
      return mixed(theme().accent, theme().card, 0.74);
  }
}

// The colours of columns, which are mixed once per lane because a lane has thousands of columns.
struct ColumnFills {
  QColor step = fillOf(SpanKind::Step, false);
  QColor implicit = implicitFill();
  QColor collective = fillOf(SpanKind::Collective, false);
  QColor compute = fillOf(SpanKind::Compute, false);
  QColor waiting = fillOf(SpanKind::Collective, true);
  QColor other = fillOf(SpanKind::Operator, false);
};

// Draws spans that are too short for bars: for each pixel a column whose height is the share of the
// time they take. `nanoseconds` is the time of a pixel.
void drawColumns(QPainter& painter, const TimelineLane& lane, double nanoseconds) {
  const ColumnFills fills;
  const double height = lane.rect.height();
  // Skip pixels where a bar begins or ends: their columns would look like steps beside the bar.
  std::vector<bool> isEdge(lane.columns.size());
  for (const TimelineBar& bar : lane.bars) {
    for (const double x : {bar.rect.left(), bar.rect.right()}) {
      if (x >= 0 && x < static_cast<double>(isEdge.size())) {
        isEdge[static_cast<std::size_t>(x)] = true;
      }
    }
  }
  for (std::size_t i = 0; i < lane.columns.size(); ++i) {
    if (isEdge[i]) {
      continue;
    }
    const view::TimelineColumn& column = lane.columns[i];
    std::int64_t moved = 0;
    for (const std::int64_t axis : column.collectives) moved += axis;
    const double x = static_cast<double>(i);
    double y = lane.rect.bottom();
    const auto fill = [&](std::int64_t part, const QColor& colour) {
      const double high =
          std::min(height * static_cast<double>(part) / nanoseconds, y - lane.rect.top());
      if (high <= 0) return;
      painter.fillRect(QRectF(x, y - high, 1, high), colour);
      y -= high;
    };
    if (column.steps > 0) {
      painter.fillRect(QRectF(x, lane.rect.top(), 1, height), fills.step);
    }
    // Short collectives stay visible.
    const auto least = static_cast<std::int64_t>(nanoseconds / 3);
    const std::int64_t implicit = std::min(column.implicit, moved);
    fill(implicit > 0 ? std::max(implicit, least) : 0, fills.implicit);
    fill(moved > implicit ? std::max(moved - implicit, least) : 0, fills.collective);
    fill(column.compute, fills.compute);
    fill(column.waiting, fills.waiting);
    const std::int64_t inside = moved + column.compute + column.waiting;
    fill(column.operators - inside, fills.other);
  }
}

// Draws a span as a bar, without its text.
void drawBar(QPainter& painter, const TimelineBar& bar) {
  painter.setRenderHint(QPainter::Antialiasing, bar.rect.width() > 6);
  drawBox(painter, bar.rect, bar.rect.width() > 6 ? 2.5 : 0,
          bar.isImplicit && !bar.isWaiting ? implicitFill() : fillOf(bar.kind, bar.isWaiting),
          bar.kind == SpanKind::Step && bar.rect.width() > 6 ? theme().border : QColor());
}

// Draws a hit as a dot, a miss as a ring, a mask event as a diamond, an error as a cross.
void drawMoment(QPainter& painter, const TimelineMoment& moment) {
  constexpr double kRadius = 2.6;
  const auto& [place, kind] = moment;
  painter.setBrush(Qt::NoBrush);
  if (kind == SpanKind::Hit) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().good);
    painter.drawEllipse(place, kRadius, kRadius);
  } else if (kind == SpanKind::Miss) {
    painter.setPen(QPen(theme().warn, 1.5));
    painter.drawEllipse(place, kRadius, kRadius);
  } else if (kind == SpanKind::Mask) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent);
    const QPointF up(0, kRadius + 0.8);
    const QPointF right(kRadius + 0.8, 0);
    painter.drawPolygon(QPolygonF{{place - up, place + right, place + up, place - right}});
  } else {
    painter.setPen(QPen(theme().bad, 2));
    const QPointF down(kRadius, kRadius);
    const QPointF rise(kRadius, -kRadius);
    painter.drawLine(place - down, place + down);
    painter.drawLine(place - rise, place + rise);
  }
}

// Draws a text at the left of the room, on an empty ground.
void drawOnGround(QPainter& painter, const QRectF& room, const QString& text, const QColor& colour,
                  const QFont& font) {
  if (text.isEmpty()) return;
  const QFontMetricsF metrics(font);
  const double width = std::min(room.width(), metrics.horizontalAdvance(text));
  QRectF ground(0, 0, width + 4, metrics.height());
  ground.moveCenter(QPointF(room.left() + width / 2, room.center().y()));
  drawBox(painter, ground, 2, theme().card, QColor());
  drawLine(painter, room, text, colour, font);
}

// Draws the frame of a group of collectives.
void drawGroup(QPainter& painter, const TimelineGroup& group) {
  if (group.calls == 1) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(group.isImplicit ? theme().bad : theme().accent, 1.5));
  painter.drawRoundedRect(group.rect, 2.5, 2.5);
}

// Draws where a rank is missing in a collective.
void drawGap(QPainter& painter, const TimelineGap& gap) {
  painter.setRenderHint(QPainter::Antialiasing);
  drawHatch(painter, gap.rect, mixed(theme().bad, theme().card, 0.6));
  drawBox(painter, gap.rect, 2.5, QColor(), theme().bad);
  drawOnGround(painter, gap.rect.adjusted(6, 0, -6, 0), gap.text, theme().bad, textFont(11));
}

// Draws the outline around the event at which a rank parts from its role.
void drawDivergence(QPainter& painter, const TimelineDivergence& divergence) {
  painter.setRenderHint(QPainter::Antialiasing);
  drawBox(painter, divergence.rect, 2.5, QColor(), theme().bad, 1.5);
  drawOnGround(painter, divergence.room, divergence.text, theme().bad, textFont(11));
}

// Draws the wedge at the beginning of the bar of a collective's last rank to arrive.
void drawLate(QPainter& painter, const TimelineBar& bar) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().bad);
  const QPointF corner = bar.rect.topLeft();
  painter.drawPolygon(QPolygonF{{corner, corner + QPointF(8, 0), corner + QPointF(0, 8)}});
}

// Draws an arrow. That of a message is solid, that of a wait dashed.
void drawFlow(QPainter& painter, const TimelineFlow& flow) {
  const bool isMessage = flow.kind == TimelineFlow::Kind::Message;
  const QColor colour = flow.kind == TimelineFlow::Kind::Missing ? theme().bad
                        : isMessage                              ? theme().accent
                                                                 : theme().text;
  const QPointF along = flow.to - flow.from;
  const double length = std::hypot(along.x(), along.y());
  if (length < 1) return;
  painter.setPen(QPen(colour, 1.3, isMessage ? Qt::SolidLine : Qt::DashLine));
  painter.drawLine(flow.from, flow.to);
  constexpr double kHead = 5;
  const QPointF back = along / length * kHead;
  const QPointF aside(-back.y() * 0.6, back.x() * 0.6);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(QPolygonF({flow.to, flow.to - back + aside, flow.to - back - aside}));
}

}  // namespace

void TimelinePaint::drawTicks() const {
  const std::int64_t length = window.length();
  const std::int64_t interval =
      tickInterval(length, std::max(2, static_cast<int>(window.width / 90)));
  for (std::int64_t after = 0; after < length; after += interval) {
    const double x = std::floor(kLabels + window.xOf(window.from + after)) + 0.5;
    painter.setPen(QPen(theme().border, 1));
    painter.drawLine(QPointF(x, 3), QPointF(x, room.height()));
    const QString time = after == 0
                             ? durationText(window.from - std::min<std::int64_t>(window.from, 0))
                             : QStringLiteral("+") + durationText(after);
    if (x + 4 + QFontMetricsF(textFont(10)).horizontalAdvance(time) <= room.width()) {
      drawLine(painter, QRectF(x + 4, 1, 84, kTicks - 2), time, theme().muted, textFont(10));
    }
  }
}

void TimelinePaint::drawMatches(const std::vector<double>& places) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().accent);
  for (const double x : places) {
    const QPointF tip(kLabels + x, kTicks);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-3, -5), tip + QPointF(3, -5)}));
  }
}

void TimelinePaint::drawExposed(const std::vector<double>& shares) const {
  if (shares.empty()) return;
  const QRectF track(kLabels, kTicks + 1, window.width, kTop - kTicks - 3);
  drawLine(painter, QRectF(12, track.top(), kLabels - 14, track.height()), QObject::tr("exposed"),
           theme().muted, textFont(10));
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(track, theme().inset);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double height = shares[i] * track.height();
    painter.fillRect(
        QRectF(track.left() + static_cast<double>(i), track.bottom() - height, 1, height),
        theme().warn);
  }
}

void TimelinePaint::drawLane(const TimelineLane& lane) const {
  const double nanoseconds = static_cast<double>(window.length()) / window.width;
  painter.setRenderHint(QPainter::Antialiasing, false);
  drawColumns(painter, lane, nanoseconds);
  // Under the bars, so that those of a long event stay visible.
  if (lane.divergence) painter.fillRect(lane.divergence->rect, theme().badSoft);
  for (const TimelineBar& bar : lane.bars) drawBar(painter, bar);
  for (const TimelineGap& gap : lane.gaps) drawGap(painter, gap);
}

void TimelinePaint::drawTexts(const TimelineScene& scene) const {
  for (const TimelineLane& lane : scene.lanes) {
    for (const TimelineBar& bar : lane.bars) {
      if (bar.isLate) drawLate(painter, bar);
    }
    for (const TimelineGroup& group : lane.groups) {
      drawOnGround(painter, group.room, group.text, theme().text, textFont(11, Weight::Bold));
    }
    for (const TimelineBar& bar : lane.bars) {
      if (!bar.text.isEmpty()) {
        drawLine(painter, bar.room, bar.text, theme().text, textFont(11));
      }
    }
    for (const TimelineMoment& moment : lane.moments) drawMoment(painter, moment);
    if (lane.divergence) drawDivergence(painter, *lane.divergence);
    painter.setPen(QPen(theme().bad, 1.6));
    painter.drawLine(QPointF(lane.mark, lane.rect.top() - 2),
                     QPointF(lane.mark, lane.rect.top() - 2 + window.rowHeight));
  }
}

void TimelinePaint::drawScene(const TimelineScene& scene) const {
  painter.save();
  painter.translate(kLabels, kTop);
  painter.setClipRect(QRectF(0, 0, window.width, room.height()));
  for (const TimelineLane& lane : scene.lanes) drawLane(lane);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const TimelineFrame& frame : scene.frames) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.isImplicit ? theme().bad : theme().accent, 1.5));
    painter.drawRoundedRect(frame.rect, 2.5, 2.5);
  }
  for (const TimelineLane& lane : scene.lanes) {
    for (const TimelineGroup& group : lane.groups) drawGroup(painter, group);
  }
  for (const TimelineFlow& flow : scene.flows) drawFlow(painter, flow);
  for (const TimelineFrame& frame : scene.frames) {
    const QFont font = textFont(11, Weight::Bold);
    if (frame.isWaiting) {
      drawOnGround(painter, frame.room, frame.text, theme().text, font);
    } else {
      drawLine(painter, frame.room, frame.text, theme().text, font, Qt::AlignCenter);
    }
  }
  drawTexts(scene);
  painter.restore();
}

void TimelinePaint::drawArea(std::int64_t from, std::int64_t to, std::int64_t firstRow,
                             std::int64_t lastRow) const {
  const double left = std::clamp(window.xOf(from), -2.0, window.width + 2);
  const double right = std::clamp(window.xOf(to), -2.0, window.width + 2);
  const auto top = static_cast<double>(firstRow - window.firstRow) * window.rowHeight;
  const auto bottom = static_cast<double>(lastRow + 1 - window.firstRow) * window.rowHeight;
  painter.save();
  painter.setClipRect(QRectF(kLabels, 0, window.width, room.height()));
  QColor fill = theme().accent;
  fill.setAlphaF(0.14F);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(theme().accent, 1));
  painter.setBrush(fill);
  painter.drawRect(QRectF(kLabels + left, kTop + std::max(0.0, top), right - left,
                          std::max(1.0, bottom - std::max(0.0, top))));
  painter.fillRect(QRectF(kLabels + left, kTicks - 3, right - left, 3), theme().accent);
  painter.restore();
}

}  // namespace shardlens
