#include "ui/widgets/paint.h"

#include "ui/text/compact.h"

#include <QPaintEngine>
#include <algorithm>
#include <cmath>

namespace shardlens {

QRectF unzoomed(const QRectF& rect) { return {unzoomed(rect.topLeft()), unzoomed(rect.size())}; }

QPointF unzoomed(const QPointF& place) { return place / Zoom::now().factor(); }

QSizeF unzoomed(const QSizeF& size) { return size / Zoom::now().factor(); }

void zoom(QPainter& painter) { painter.scale(Zoom::now().factor(), Zoom::now().factor()); }

QString cutText(const QString& text, qsizetype shared, const QFontMetricsF& metrics, double width) {
  if (metrics.horizontalAdvance(text) <= width) {
    return text;
  }
  const QString compact = compactPlacements(text);
  if (compact != text && (shared == 0 || metrics.horizontalAdvance(compact) <= width)) {
    return metrics.elidedText(compact, Qt::ElideRight, width);
  }
  if (shared == 0) {
    return metrics.elidedText(text, Qt::ElideMiddle, width);
  }
  const QString own = text.mid(shared);
  const double left = width - metrics.horizontalAdvance(own);
  if (left >= 2 * metrics.averageCharWidth()) {
    return metrics.elidedText(text.left(shared), Qt::ElideRight, left) + own;
  }
  constexpr qsizetype kLong = 16;  // a shorter shared part is more useful than the text's end
  return shared < kLong ? metrics.elidedText(text, Qt::ElideMiddle, width)
                        : metrics.elidedText(u'…' + own, Qt::ElideRight, width);
}

QString wholeLines(const QString& text, const QFontMetricsF& metrics, double width, int lines) {
  const QRectF room(0, 0, width, 1 << 20);
  const auto fits = [&](const QString& shown) {
    const double height = metrics.boundingRect(room, Qt::TextWordWrap, shown).height();
    return height < metrics.lineSpacing() * (lines + 0.5);
  };
  QString shown = text;
  while (!fits(shown == text ? shown : shown + u'…')) {
    const auto end = shown.lastIndexOf(u' ');
    if (end <= 0) break;
    shown.truncate(end);
  }
  return shown == text ? shown : shown + u'…';
}

void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment, qsizetype shared) {
  painter.setFont(font);
  painter.setPen(colour);
  const QFontMetricsF metrics(font);
  painter.drawText(rect, static_cast<int>(alignment) | Qt::TextSingleLine,
                   cutText(text, shared, metrics, rect.width() + 0.5));
}

void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour) {
  constexpr double kPitch = 6;
  painter.save();
  painter.setClipRect(rect);
  painter.setPen(QPen(colour, 1));
  const double first = std::floor((rect.left() + rect.top()) / kPitch) * kPitch;
  // The SVG engine does not clip, so the lines are shortened.
  const bool isClipped = painter.paintEngine()->type() != QPaintEngine::SVG;
  for (double sum = first; sum < rect.right() + rect.bottom(); sum += kPitch) {
    const double top = isClipped ? rect.top() : std::max(rect.top(), sum - rect.right());
    const double bottom = isClipped ? rect.bottom() : std::min(rect.bottom(), sum - rect.left());
    if (top < bottom) {
      painter.drawLine(QPointF(sum - top, top), QPointF(sum - bottom, bottom));
    }
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
