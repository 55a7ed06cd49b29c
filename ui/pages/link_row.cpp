#include "ui/pages/link_row.h"

#include "ui/widgets/paint.h"

#include <QPixmap>
#include <algorithm>

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
  painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
  // A row under the mouse is shaded and the one with the focus is outlined, so that there is one of
  // each.
  const bool lit = hasFocus();
  zoom(painter);
  const QRectF all = unzoomed(QRectF(rect()));
  drawBox(painter, all, 5, isDown() || underMouse() ? theme().accentSoft : theme().inset,
          lit ? theme().accent : theme().border);
  QRectF inside = all.adjusted(14, 7, -14, -7);
  if (const QPixmap picture(theme().dark() ? dark_ : light_); !picture.isNull()) {
    const double height = inside.height();
    const double width = height * picture.width() / picture.height();
    painter.drawPixmap(QRectF(inside.topLeft(), QSizeF(width, height)), picture,
                       QRectF(picture.rect()));
    inside.setLeft(inside.left() + width + 14);
  }
  // Draws a text in at most as many lines, and moves the top of the room below it.
  const auto draw = [&](const QString& text, const QColor& colour, const QFont& font, int lines) {
    const QFontMetricsF metrics(font);
    const QString shown = textLines(text, metrics, inside.width(), lines).join(u'\n');
    painter.setPen(colour);
    painter.setFont(font);
    QRectF drawn;
    painter.drawText(inside, Qt::TextWordWrap, shown, &drawn);
    inside.setTop(drawn.bottom() + 2);
  };
  if (detail_.isEmpty()) {
    const QRectF top(inside.topLeft(), QSizeF(inside.width(), inside.height() / 2));
    drawLine(painter, top, text(), theme().text, textFont(12, Weight::Bold));
    drawLine(painter, top.translated(0, top.height()), about_, theme().muted, textFont(11));
    return;
  }
  draw(text(), theme().text, textFont(12, Weight::Bold), 2);
  draw(about_, theme().muted, textFont(11), 1);
  const double line = QFontMetricsF(textFont(11)).lineSpacing();
  draw(detail_, theme().text, textFont(11), std::max(1, static_cast<int>(inside.height() / line)));
}

void LinkRow::setPicture(const QString& light, const QString& dark) {
  light_ = light;
  dark_ = dark;
  update();
}

void LinkRow::setDetail(const QString& detail) {
  detail_ = detail;
  setToolTip(text() + u'\n' + about_ + u'\n' + detail_);
  setAccessibleDescription(about_ + QStringLiteral(". ") + detail_);
  updateGeometry();
}

}  // namespace shardlens
