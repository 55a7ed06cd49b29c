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

// Returns the words in which a text differs from its neighbours, with elided text on both sides;
// empty if they do not fit.
static QString cutAround(const QString& text, SharedParts shared, const QFontMetricsF& metrics,
                         double width) {
  const qsizetype begin = text.lastIndexOf(u' ', shared.start - 1) + 1;
  const qsizetype space = text.indexOf(u' ', std::max(begin, text.size() - shared.end));
  const qsizetype end = space < 0 ? text.size() : space;
  const QString words = text.mid(begin, end - begin);
  const double room = width - metrics.horizontalAdvance(words);
  if (room < 4 * metrics.averageCharWidth()) return {};
  const QString start = metrics.elidedText(text.left(begin), Qt::ElideRight, room / 2) + words;
  const double left = width - metrics.horizontalAdvance(start);
  return start + metrics.elidedText(text.mid(end), Qt::ElideRight, left);
}

QString cutText(const QString& text, SharedParts shared, const QFontMetricsF& metrics,
                double width) {
  if (metrics.horizontalAdvance(text) <= width) {
    return text;
  }
  const QString compact = compactPlacements(text);
  if (shared.start == 0 || (compact != text && metrics.horizontalAdvance(compact) <= width)) {
    return metrics.elidedText(compact, Qt::ElideRight, width);
  }
  if (shared.end > 0) {
    const QString around = cutAround(text, shared, metrics, width);
    if (!around.isEmpty()) return around;
  }
  const QString own = text.mid(shared.start);
  const double left = width - metrics.horizontalAdvance(own);
  if (left >= 2 * metrics.averageCharWidth()) {
    return metrics.elidedText(text.left(shared.start), Qt::ElideRight, left) + own;
  }
  constexpr qsizetype kLong = 16;  // a shorter shared part is more useful than the text's end
  return shared.start < kLong ? metrics.elidedText(text, Qt::ElideMiddle, width)
                              : metrics.elidedText(u'…' + own, Qt::ElideRight, width);
}

QStringList textLines(const QString& text, const QFontMetricsF& metrics, double width, int most) {
  const bool fits = metrics.horizontalAdvance(text) <= width;
  QStringList lines;
  for (const QString& word : (fits ? text : compactPlacements(text)).split(u' ')) {
    const QString joined = lines.isEmpty() ? word : lines.last() + u' ' + word;
    const bool stays = lines.size() == most || metrics.horizontalAdvance(joined) <= width;
    if (!lines.isEmpty() && stays) {
      lines.last() = joined;
    } else {
      lines.append(word);
    }
  }
  for (QString& line : lines) line = metrics.elidedText(line, Qt::ElideRight, width);
  return lines;
}

void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment, SharedParts shared) {
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
