#include "ui/widgets/timeline_paint.h"

#include "ui/scenes/colour.h"
#include "ui/widgets/paint.h"

#include <QPolygonF>
#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

using view::SpanKind;

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

}  // namespace

void drawColumns(QPainter& painter, const TimelineLane& lane, double nanoseconds) {
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
      painter.fillRect(QRectF(x, lane.rect.top(), 1, height), fillOf(SpanKind::Step, false));
    }
    // Short collectives stay visible.
    fill(moved > 0 ? std::max(moved, static_cast<std::int64_t>(nanoseconds / 3)) : 0,
         fillOf(SpanKind::Collective, false));
    fill(column.compute, fillOf(SpanKind::Compute, false));
    fill(column.waiting, fillOf(SpanKind::Collective, true));
    const std::int64_t inside = moved + column.compute + column.waiting;
    fill(column.operators - inside, fillOf(SpanKind::Operator, false));
  }
}

void drawBar(QPainter& painter, const TimelineBar& bar) {
  painter.setRenderHint(QPainter::Antialiasing, bar.rect.width() > 6);
  drawBox(painter, bar.rect, bar.rect.width() > 6 ? 2.5 : 0, fillOf(bar.kind, bar.isWaiting),
          bar.kind == SpanKind::Step && bar.rect.width() > 6 ? theme().border : QColor());
}

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

void drawGap(QPainter& painter, const TimelineGap& gap) {
  painter.setRenderHint(QPainter::Antialiasing);
  drawHatch(painter, gap.rect, mixed(theme().bad, theme().card, 0.6));
  drawBox(painter, gap.rect, 2.5, QColor(), theme().bad);
  if (gap.text.isEmpty()) return;
  const QRectF room = gap.rect.adjusted(6, 0, -6, 0);
  const QFontMetricsF metrics(textFont(11));
  const double width = std::min(room.width(), metrics.horizontalAdvance(gap.text));
  QRectF ground(0, 0, width + 4, metrics.height());
  ground.moveCenter(QPointF(room.left() + width / 2, room.center().y()));
  drawBox(painter, ground, 2, theme().card, QColor());
  drawLine(painter, room, gap.text, theme().bad, textFont(11));
}

void drawLate(QPainter& painter, const TimelineBar& bar) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().bad);
  const QPointF corner = bar.rect.topLeft();
  painter.drawPolygon(QPolygonF{{corner, corner + QPointF(8, 0), corner + QPointF(0, 8)}});
}

}  // namespace shardlens
