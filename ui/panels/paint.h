#pragma once

#include "ui/scenes/theme.h"

#include <QPainter>

namespace shardlens {

// What several panels draw, drawn one way.

// One line of text, cut with an ellipsis where it does not fit.
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour,
              const QFont& font, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);

// The slanted lines over what is masked.
void drawHatch(QPainter& painter, const QRectF& rect, const QColor& colour);

void drawBox(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& outline, double width = 1);

}  // namespace shardlens
