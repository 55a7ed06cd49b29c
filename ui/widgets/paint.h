#pragma once

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QFontMetricsF>
#include <QPainter>

namespace shardlens {

// What several panels draw, drawn one way.

// Sizes and places of a widget as they would be without a zoom, which is how they are painted.
QRectF unzoomed(const QRectF& rect);
QPointF unzoomed(const QPointF& place);
QSizeF unzoomed(const QSizeF& size);
// Scales what is painted from here on.
void zoom(QPainter& painter);

// A text that does not fit, cut where it is like those it stands among: in its first `shared`
// characters. Where that is not enough, or it is like no other, in the middle.
QString cutText(const QString& text, qsizetype shared, const QFontMetricsF& metrics, double width);

// One line of text, cut like that where it does not fit.
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter,
              qsizetype shared = 0);

// The slanted lines over what is masked.
void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour);

void drawBox(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& outline, double width = 1);

}  // namespace shardlens
