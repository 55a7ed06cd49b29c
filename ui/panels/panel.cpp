#include "ui/panels/panel.h"

#include "ui/widgets/paint.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPainterPath>

namespace shardlens {
namespace {

constexpr int kHeaderHeight = 34;
constexpr double kRadius = 5;

// Rounded above or below only: header and body make one card.
void paintCard(QWidget* widget, bool top) {
  QPainter painter(widget);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF all(widget->rect());
  const QRectF grown = top ? all.adjusted(0.5, 0.5, -0.5, 20) : all.adjusted(0.5, -20, -0.5, -0.5);
  painter.setClipRect(all);
  drawBox(painter, grown, kRadius, theme().card, theme().border);
  if (top) {
    painter.setPen(QPen(theme().border, 1));
    painter.drawLine(QPointF(0, all.bottom() - 0.5), QPointF(all.right(), all.bottom() - 0.5));
  }
}

}  // namespace

ElidedLabel::ElidedLabel(Role role, QWidget* parent) : QWidget(parent), role_(role) {
  setSizePolicy(role == Role::Title || role == Role::Figures ? QSizePolicy::Fixed
                : role == Role::Detail                       ? QSizePolicy::Maximum
                                                             : QSizePolicy::Ignored,
                QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
  if (text == text_) {
    return;
  }
  text_ = text;
  setToolTip(role_ == Role::Title ? QString() : text);
  setAccessibleName(text);
  updateGeometry();
  update();
}

QFont ElidedLabel::textFont() const {
  const bool loud = role_ == Role::Title || role_ == Role::Detail;
  return loud ? shardlens::textFont(12, Weight::Bold) : shardlens::textFont(11);
}

QSize ElidedLabel::sizeHint() const {
  const QFontMetrics metrics(textFont());
  return {text_.isEmpty() ? 0 : metrics.horizontalAdvance(text_) + 2, metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const {
  const QSize hint = sizeHint();
  const bool whole = role_ == Role::Title || role_ == Role::Figures;
  return {whole ? hint.width() : std::min(hint.width(), 24), hint.height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const bool loud = role_ == Role::Title || role_ == Role::Detail;
  if (!loud && width() * 5 < sizeHint().width() * 3) {
    return;  // a remark of which little would be left is left out
  }
  drawLine(painter, rect(), text_, loud ? theme().text : theme().muted, textFont(),
           (role_ == Role::Note ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

PanelHeader::PanelHeader(QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel(ElidedLabel::Role::Title, this)),
      detail_(new ElidedLabel(ElidedLabel::Role::Detail, this)),
      note_(new ElidedLabel(ElidedLabel::Role::Note, this)),
      row_(new QHBoxLayout(this)) {
  setFixedHeight(kHeaderHeight);
  row_->setContentsMargins(12, 0, 12, 1);
  row_->setSpacing(12);
  row_->addWidget(title_);
  row_->addWidget(detail_);
  row_->addWidget(note_, 1);
}

void PanelHeader::setTitle(const QString& title) {
  setObjectName(title.toLower().remove(u' ') + QStringLiteral("Header"));
  title_->setText(title);
}

QSize PanelHeader::sizeHint() const { return {200, kHeaderHeight}; }

QSize PanelHeader::minimumSizeHint() const { return {80, kHeaderHeight}; }

void PanelHeader::addControl(QWidget* control) { row_->addWidget(control); }

void PanelHeader::paintEvent(QPaintEvent* /*event*/) { paintCard(this, /*top=*/true); }

Panel::Panel(QWidget* parent) : QWidget(parent), header_(new PanelHeader) {}

void Panel::setTitle(const QString& title) {
  title_ = title;
  header_->setTitle(title);
  setAccessibleName(title);
}

void Panel::paintEvent(QPaintEvent* /*event*/) { paintCard(this, /*top=*/false); }

}  // namespace shardlens
