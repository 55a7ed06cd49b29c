#include "ui/panels/paint.h"

#include <QFontMetricsF>
#include <cmath>

namespace shardlens {

void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment) {
  painter.setFont(font);
  painter.setPen(colour);
  const QFontMetricsF metrics(font);
  painter.drawText(rect, static_cast<int>(alignment) | Qt::TextSingleLine,
                   metrics.elidedText(text, Qt::ElideRight, rect.width() + 0.5));
}

void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour) {
  constexpr double kPitch = 6;
  painter.save();
  painter.setClipRect(rect);
  painter.setPen(QPen(colour, 1));
  const double first = std::floor((rect.left() + rect.top()) / kPitch) * kPitch;
  for (double sum = first; sum < rect.right() + rect.bottom(); sum += kPitch) {
    painter.drawLine(QPointF(sum - rect.top(), rect.top()),
                     QPointF(sum - rect.bottom(), rect.bottom()));
  }
  painter.restore();
}

void drawBox(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& outline, double width) {
  painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
  painter.setPen(outline.isValid() ? QPen(outline, width) : QPen(Qt::NoPen));
  const double half = outline.isValid() ? width / 2 : 0;
  painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius);
}

}  // namespace shardlens
