#include "ui/pages/link_row.h"

#include "ui/widgets/paint.h"

namespace shardlens {

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
  const bool lit = underMouse() || hasFocus();
  zoom(painter);
  const QRectF all = unzoomed(QRectF(rect()));
  drawBox(painter, all, 5, isDown() ? theme().accentSoft : theme().inset,
          lit ? theme().accent : theme().border);
  const QRectF inside = all.adjusted(14, 7, -14, -7);
  const QRectF top(inside.topLeft(), QSizeF(inside.width(), inside.height() / 2));
  drawLine(painter, top, text(), theme().text, textFont(12, Weight::Bold));
  drawLine(painter, top.translated(0, inside.height() / 2), about_, theme().muted, textFont(11));
}

}  // namespace shardlens
