#include "ui/widgets/shard_painter.h"

#include "ui/scenes/cell_text.h"
#include "ui/scenes/colour.h"
#include "ui/widgets/paint.h"

#include <QImage>
#include <QPainter>
#include <algorithm>

namespace shardlens {
namespace {

void drawCell(QPainter& painter, const ShardCell& cell) {
  const bool masked = cell.masked == 1;
  const QColor fill = masked ? mixed(cell.fill, theme().card, 0.45) : cell.fill;
  drawBox(painter, cell.rect, cell.rect.height() > 12 ? 2 : 0, fill, QColor());
  if (cell.masked > 0) {  // the hatched part is the masked fraction of the cell's elements
    const double width = cell.rect.width() * cell.masked;
    drawHatch(painter, cell.rect.adjusted(cell.rect.width() - width, 0, 0, 0),
              mixed(theme().onCells, fill, theme().dark() ? 0.30 : 0.52));
  }
  if (cell.differs || cell.odd) {
    drawBox(painter, cell.rect.adjusted(-1, -1, 1, 1), 2, QColor(), theme().bad, 2);
  }
  if (cell.text.isEmpty()) {
    return;
  }
  const double width = cell.rect.width();
  const QFont font = cellFont(width);
  if (masked) {  // a plain background, so that the hatch does not cross the digits
    const QRectF text = QFontMetricsF(font).boundingRect(cell.text);
    QRectF ground(0, 0, text.width() + 6, text.height());
    ground.moveCenter(cell.rect.center());
    drawBox(painter, ground, 2, fill, QColor());
  }
  const QColor ink = !masked          ? theme().onCells
                     : theme().dark() ? mixed(theme().text, fill, 0.25)
                                      : mixed(theme().onCells, fill, 0.25);
  drawLine(painter, cell.rect, cell.text, ink, font, Qt::AlignCenter);
}

}  // namespace

void ShardPainter::drawCard(const ShardCard& card, const std::vector<bool>& hidden) const {
  drawFrame(card);
  if (scene.sizes.cellGap == 0 && hidden.empty()) {
    drawImage(card);
  } else {
    drawCells(card, hidden);
  }
  drawPadding(card);
  if (card.bare) {
    return;
  }
  drawLine(painter, card.footRect, card.foot, theme().muted, textFont(10));
  drawLine(painter, card.figuresRect, card.figures, card.odd ? theme().bad : theme().muted,
           textFont(10));
  if (!card.empty.isEmpty()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().faint, 1, Qt::DashLine));
    painter.drawRoundedRect(card.body, 4, 4);
    painter.setPen(theme().muted);
    painter.setFont(textFont(card.compact ? 9 : 11));
    painter.save();
    painter.setClipRect(card.body);
    painter.drawText(card.body, Qt::AlignCenter | Qt::TextWordWrap, card.empty);
    painter.restore();
  }
}

void ShardPainter::drawFrame(const ShardCard& card) const {
  for (auto sheet = card.sheets.rbegin(); sheet != card.sheets.rend(); ++sheet) {
    drawBox(painter, *sheet, 5, theme().card, theme().border);
  }
  const bool bad = card.differs || (card.odd && card.compact);
  const bool loud = card.changed || bad;
  if (card.bare) {
    return drawBox(painter, card.rect, 0, theme().border, bad ? theme().bad : QColor());
  }
  const QColor& edge = bad ? theme().bad : card.changed ? theme().rank : theme().border;
  drawBox(painter, card.rect, 5, theme().inset, card.isInferred ? QColor() : edge, loud ? 1.6 : 1);
  if (card.isInferred) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(bad || card.changed ? edge : theme().muted, loud ? 1.6 : 1.2, Qt::DashLine));
    painter.drawRoundedRect(card.rect, 5, 5);
  }
  drawLine(painter, card.titleRect, card.title, bad ? theme().bad : theme().text,
           textFont(card.compact ? 10 : 11, Weight::Bold));
  drawLine(painter, card.noteRect, card.note, card.differs ? theme().bad : theme().muted,
           textFont(10),
           (card.noteRect.top() > card.titleRect.top() ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  for (const RowLabel& label : card.labels) {
    drawLine(painter, label.rect, label.text, label.strong ? theme().text : theme().muted,
             codeFont(11, label.strong ? Weight::Bold : Weight::Normal),
             Qt::AlignRight | Qt::AlignVCenter);
  }
}

void ShardPainter::drawCells(const ShardCard& card, const std::vector<bool>& hidden) const {
  for (std::size_t i = 0; i < card.cells.size(); ++i) {
    if (i >= hidden.size() || !hidden[i]) {
      drawCell(painter, card.cells[i]);
    }
  }
}

// Draws one pixel per cell and scales the image. Masked cells are paler, in a checkered pattern
// because a hatch does not fit.
void ShardPainter::drawImage(const ShardCard& card) const {
  if (card.cells.empty()) {
    return;
  }
  const int columns = card.cellsAcross;
  const int rows = static_cast<int>(card.cells.size()) / columns;
  QImage image(columns, rows, QImage::Format_RGB32);
  for (int row = 0; row < rows; ++row) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
    for (int column = 0; column < columns; ++column) {
      const ShardCell& cell = card.cells[static_cast<std::size_t>(row * columns + column)];
      const bool isCrossed = cell.masked > 0 && (row + column) % 2 == 1;
      const double pale = cell.masked * (isCrossed ? 0.85 : 0.35);
      line[column] = cell.masked > 0 ? mixed(cell.fill, theme().card, pale).rgb() : cell.fill.rgb();
    }
  }
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(card.cells.front().rect.united(card.cells.back().rect), image);
  for (const ShardCell& cell : card.cells) {
    if (cell.differs || cell.odd) {
      drawBox(painter, cell.rect.adjusted(-2, -2, 2, 2), 2, QColor(), theme().bad, 2);
    }
  }
}

void ShardPainter::drawPadding(const ShardCard& card) const {
  painter.setBrush(Qt::NoBrush);
  for (const QRectF& padding : card.padding) {
    painter.setPen(QPen(theme().muted, 1, Qt::DashLine));
    painter.drawRect(padding.adjusted(0.5, 0.5, -0.5, -0.5));
    const QString word = QObject::tr("padding");
    const QFontMetricsF metrics(textFont(10));
    if (!card.bare && padding.height() >= 13 &&
        padding.width() >= metrics.horizontalAdvance(word) + 6) {
      drawLine(painter, padding, word, theme().muted, textFont(10), Qt::AlignCenter);
      painter.setBrush(Qt::NoBrush);
    }
  }
}

void ShardPainter::drawSign(const ReductionSign& sign) const {
  const double width =
      std::max(20.0, QFontMetricsF(textFont(11)).horizontalAdvance(sign.text) + 10);
  const QRectF disc(sign.centre.x() - width / 2, sign.centre.y() - 10, width, 20);
  drawBox(painter, disc, 10, theme().card, theme().accent, 1.4);
  drawLine(painter, disc, sign.text, theme().accent,
           textFont(sign.text.size() > 1 ? 9 : 13, Weight::Bold), Qt::AlignCenter);
}

void ShardPainter::drawCursor(const QRectF& place) const {
  const double more = std::max(2.0, (9 - std::min(place.width(), place.height())) / 2);
  const QRectF around = place.adjusted(-more, -more, more, more);
  drawBox(painter, around, 3, QColor(), theme().card, 4);
  drawBox(painter, around, 3, QColor(), theme().accent, 2);
}

}  // namespace shardlens
