#include "ui/widgets/slice_painter.h"

#include "ui/scenes/cell_text.h"
#include "ui/scenes/colour.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kHatched = 6;  // minimum cell size for a hatch, in pixels

// Returns the number in at most `characters`. A difference has a sign.
QString fitted(const InspectedElements& elements, const Shape& at, double number, int characters) {
  if (!elements.against) {
    const QString text = elements.text(at);
    const DType dtype = elements.shown.view().record->dtype;
    return text.size() <= characters ? text : fittedNumber(number, dtype, characters);
  }
  const QString digits = fittedNumber(number, DType::Float64, characters - 1);
  return number > 0 && !digits.isEmpty() ? u'+' + digits : digits;
}

}  // namespace

void SlicePainter::drawNumbers(QPainter& painter) const {
  const QFont font = codeFont(11);
  const int characters = cellCharacters(grid.width - 12);
  for (std::int64_t row = 0; row < grid.rowsSeen(); ++row) {
    for (std::int64_t column = 0; column < grid.columnsSeen(); ++column) {
      const SliceCell cell{grid.first.row + row, grid.first.column + column};
      const QRectF rect = grid.rectOf(cell);
      const Shape at = slice.at(cell.row, cell.column);
      const auto number = elements.number(at);
      const bool masked = elements.masked(at);
      const bool odd = number && !std::isfinite(*number);
      const bool loud = odd || (elements.against && number && *number != 0);
      if (masked) {
        drawHatch(painter, rect, mixed(theme().muted, theme().card, 0.55));
      }
      const QString text = number ? fitted(elements, at, *number, characters) : QStringLiteral("–");
      const QFont used = loud ? codeFont(11, Weight::Bold) : font;
      if (masked) {
        QRectF ground(0, 0, QFontMetricsF(used).horizontalAdvance(text) + 6, 15);
        ground.moveRight(rect.right() - 3);
        ground.moveTop(rect.center().y() - 7);
        drawBox(painter, ground, 2, theme().card, QColor());
      }
      drawLine(painter, rect.adjusted(6, 0, -6, 0), text,
               loud                ? theme().bad
               : masked || !number ? theme().muted
                                   : theme().text,
               used, Qt::AlignRight | Qt::AlignVCenter);
    }
  }
}

QRgb SlicePainter::pixel(const SliceCell& cell, bool isCrossed) const {
  const Shape at = slice.at(cell.row, cell.column);
  const auto number = elements.number(at);
  if (!number) {
    return theme().card.rgb();
  }
  const QRgb colour = scale.colour(*number);
  return !elements.masked(at) ? colour
                              : mixed(QColor(colour), theme().card, isCrossed ? 1 : 0.4).rgb();
}

QSize SlicePainter::imageSize(QSize pixels) const {
  constexpr double kMostReads = 250000;
  const auto high = static_cast<double>(std::min<std::int64_t>(grid.rowsSeen(), pixels.height()));
  const auto wide = static_cast<double>(std::min<std::int64_t>(grid.columnsSeen(), pixels.width()));
  const auto parts =
      elements.shown.parts() + (elements.against ? elements.against->parts() : std::size_t{0});
  const double less =
      std::min(1.0, std::sqrt(kMostReads / (high * wide * static_cast<double>(parts) + 1)));
  return QSizeF(std::ceil(wide * less), std::ceil(high * less)).toSize();
}

QImage SlicePainter::image(QSize size) const {
  QImage image(size, QImage::Format_RGB32);
  const bool isHatched = std::min(grid.width, grid.height) >= kHatched;
  for (int y = 0; y < size.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < size.width(); ++x) {
      const SliceCell cell{grid.first.row + y * grid.rowsSeen() / size.height(),
                           grid.first.column + x * grid.columnsSeen() / size.width()};
      line[x] = pixel(cell, !isHatched && (x + y) % 2 == 1);
    }
  }
  return image;
}

void SlicePainter::drawImage(QPainter& painter, const QImage& image) const {
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(grid.seenRect(), image);
  if (std::min(grid.width, grid.height) >= kHatched) {
    drawMarks(painter);
  }
}

// Draws the hatch of masked elements, and a cross, or the text if it fits, on NaN and infinities.
void SlicePainter::drawMarks(QPainter& painter) const {
  for (std::int64_t row = 0; row < grid.rowsSeen(); ++row) {
    for (std::int64_t column = 0; column < grid.columnsSeen(); ++column) {
      const SliceCell cell{grid.first.row + row, grid.first.column + column};
      const Shape at = slice.at(cell.row, cell.column);
      const QRectF rect = grid.rectOf(cell);
      if (elements.masked(at)) {
        drawHatch(painter, rect, theme().muted);
      }
      const auto number = elements.number(at);
      if (!number || std::isfinite(*number)) {
        continue;
      }
      const QColor ink = inkOn(QColor(scale.colour(*number)));
      if (grid.width >= 26 && grid.height >= 13) {
        drawLine(painter, rect, numberText(*number, DType::Float64), ink,
                 codeFont(10, Weight::Bold), Qt::AlignCenter);
      } else {
        painter.setPen(QPen(ink, 1.2));
        painter.drawLine(rect.topLeft(), rect.bottomRight());
        painter.drawLine(rect.bottomLeft(), rect.topRight());
      }
    }
  }
}

void SlicePainter::drawLegend(QPainter& painter, const QRectF& place) const {
  const QRectF bar(place.left(), place.top() + 6, 12, place.height() - 12);
  const bool isOne = scale.low() == scale.high();
  constexpr int kSteps = 64;
  for (int step = 0; step < kSteps; ++step) {
    const double share = (step + 0.5) / kSteps;
    const double number = scale.high() * (1 - share) + scale.low() * share;
    painter.fillRect(QRectF(bar.left(), bar.top() + step * bar.height() / kSteps, bar.width(),
                            bar.height() / kSteps + 0.5),
                     QColor(scale.colour(number)));
  }
  drawBox(painter, bar, 0, QColor(), theme().border);
  const auto text = [&](double number, double y) {
    drawLine(painter, QRectF(bar.right() + 5, y - 7, place.right() - bar.right() - 5, 14),
             fittedNumber(number, DType::Float64, 8), theme().muted, codeFont(10));
  };
  if (isOne) {
    return text(scale.high(), bar.center().y());
  }
  text(scale.high(), bar.top() + 2);
  if (bar.height() > 44) {
    text(scale.high() / 2 + scale.low() / 2, bar.center().y());
  }
  text(scale.low(), bar.bottom() - 2);
}

}  // namespace shardlens
