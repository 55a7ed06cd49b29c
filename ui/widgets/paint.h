#pragma once

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QFontMetricsF>
#include <QPainter>

namespace shardlens {

// Painting functions shared by the panels.

// Convert widget coordinates to painting coordinates, which do not depend on the zoom.
QRectF unzoomed(const QRectF& rect);
QPointF unzoomed(const QPointF& place);
QSizeF unzoomed(const QSizeF& size);
// Scales the painter by the zoom. A second call would scale again.
void zoom(QPainter& painter);

// Elides a text that does not fit. First shortens its placements; see compactPlacements(). Removes
// characters from its first `shared` characters, which neighbouring rows have in common, if the
// rest fits. Otherwise elides the middle, or, if `shared` is at least 16, replaces the shared part
// and elides the end.
QString cutText(const QString& text, qsizetype shared, const QFontMetricsF& metrics, double width);

// Returns the text, without words at its end as far as it would need more lines at this width.
QString wholeLines(const QString& text, const QFontMetricsF& metrics, double width, int lines);

// Draws one line of text, elided by cutText().
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter,
              qsizetype shared = 0);

// Draws the slanted lines over masked elements.
void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour);

// Draws a rounded box with the outline inside `rect`. An invalid colour omits the fill or the
// outline.
void drawBox(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& outline, double width = 1);

}  // namespace shardlens
