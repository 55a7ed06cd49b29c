#include "ui/pages/link_row.h"

#include "ui/scenes/colour.h"
#include "ui/widgets/paint.h"

#include <algorithm>

namespace shardlens {

namespace {

// Removes words at the end until the wrapped text fits.
QString wholeLines(QString text, const QFont& font, const QRectF& room) {
  const QFontMetricsF metrics(font);
  const auto fits = [&](const QString& shown) {
    return metrics.boundingRect(room, Qt::TextWordWrap, shown).height() <= room.height();
  };
  if (fits(text)) return text;
  while (!text.isEmpty() && !fits(text + u'…')) text = text.left(text.lastIndexOf(u' '));
  return text + u'…';
}

}  // namespace

// Not a QCommandLinkButton, because that has a fixed font size of 9 points.
LinkRow::LinkRow(const QString& title, const QString& about, QWidget* parent)
    : QAbstractButton(parent), about_(about) {
  setText(title);
  setAccessibleName(title);
  setAccessibleDescription(about);
  setToolTip(title + u'\n' + about);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&Zoom::now(), &Zoom::changed, this, &QWidget::updateGeometry);
}

void LinkRow::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  // A row under the mouse is shaded and the one with the focus is outlined, so that there is one of
  // each.
  const bool lit = hasFocus();
  zoom(painter);
  const QRectF all = unzoomed(QRectF(rect()));
  drawBox(painter, all, 5, isDown() || underMouse() ? theme().accentSoft : theme().inset,
          lit ? theme().accent : theme().border);
  QRectF inside = all.adjusted(14, 7, -14, -7);
  if (!mesh_.empty()) {
    constexpr double kPicture = 56;
    drawMesh(painter, QRectF(inside.topLeft(), QSizeF(kPicture, inside.height())));
    inside.setLeft(inside.left() + kPicture + 14);
  }
  const double line = detail_.isEmpty() ? inside.height() / 2 : 19;
  const QRectF top(inside.topLeft(), QSizeF(inside.width(), line));
  drawLine(painter, top, text(), theme().text, textFont(12, Weight::Bold));
  drawLine(painter, top.translated(0, line), about_, theme().muted, textFont(11));
  if (!detail_.isEmpty()) {
    painter.setPen(theme().text);
    painter.setFont(textFont(11));
    painter.save();
    painter.setClipRect(inside);
    const QRectF room = inside.adjusted(0, 2 * line, 0, 0);
    painter.drawText(room, Qt::TextWordWrap, wholeLines(detail_, textFont(11), room));
    painter.restore();
  }
}

void LinkRow::setMesh(const std::vector<int>& mesh) {
  mesh_ = mesh;
  update();
}

void LinkRow::setDetail(const QString& detail) {
  detail_ = detail;
  setToolTip(text() + u'\n' + about_ + u'\n' + detail_);
  setAccessibleDescription(about_ + QStringLiteral(". ") + detail_);
  updateGeometry();
}

// Draws the ranks as a grid, in the colours of the rows of a tensor that is sharded over them.
void LinkRow::drawMesh(QPainter& painter, const QRectF& area) const {
  const int columns = std::max(1, mesh_.back());
  int ranks = 1;
  for (const int size : mesh_) ranks *= std::max(1, size);
  constexpr int kMost = 64;
  ranks = std::min(ranks, kMost);
  const int rows = (ranks + columns - 1) / columns;
  const double side = std::min({area.width() / columns, area.height() / rows, 20.0});
  QRectF grid(0, 0, side * columns, side * rows);
  grid.moveCenter(area.center());
  for (int rank = 0; rank < ranks; ++rank) {
    const QPointF corner = grid.topLeft() + QPointF(rank % columns, rank / columns) * side;
    drawBox(painter, QRectF(corner, QSizeF(side - 2, side - 2)), 2,
            elementColour(rank, ranks, 0.4, theme().dark()), theme().border);
  }
}

}  // namespace shardlens
