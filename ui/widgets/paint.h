#pragma once

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

namespace shardlens {

// Painting functions shared by the panels.

// Convert widget coordinates to painting coordinates, which do not depend on the zoom.
QRectF unzoomed(const QRectF& rect);
QPointF unzoomed(const QPointF& place);
QSizeF unzoomed(const QSizeF& size);
// Scales the painter by the zoom. A second call would scale again.
void zoom(QPainter& painter);

// The lengths of the prefix and the suffix of a text that neighbouring rows have in common.
struct SharedParts {
  qsizetype start = 0;
  qsizetype end = 0;
};

// Elides a text that does not fit. First shortens its placements; see compactPlacements(). Removes
// characters from both shared parts if the words between them fit, or from the prefix if the rest
// fits. Otherwise elides the end if no prefix is shared, the middle if it is shorter
// than 16 characters, or else replaces the prefix and elides the end.
QString cutText(const QString& text, SharedParts shared, const QFontMetricsF& metrics,
                double width);

// Splits a text at blanks into at most `most` lines of this width. Shortens its placements if it
// does not fit in one line. Elides the end of lines that are still too long.
QStringList textLines(const QString& text, const QFontMetricsF& metrics, double width, int most);

// Draws one line of text, elided by cutText().
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter,
              SharedParts shared = {});

// Draws the slanted lines over masked elements.
void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour);

// Draws a rounded box with the outline inside `rect`. An invalid colour omits the fill or the
// outline.
void drawBox(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& outline, double width = 1);

}  // namespace shardlens
