#include "ui/shell/message_bar.h"

#include "ui/panels/icons.h"
#include "ui/panels/paint.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace shardlens {

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent),
      text_(new QLabel),
      action_(new QPushButton),
      close_(new QPushButton(tr("close"))) {
  setObjectName(QStringLiteral("messageBar"));
  setAccessibleName(tr("Message"));
  text_->setObjectName(QStringLiteral("messageText"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  action_->setObjectName(QStringLiteral("messageAction"));
  action_->setAccessibleName(tr("Do what the message offers"));
  close_->setObjectName(QStringLiteral("messageClose"));
  close_->setAccessibleName(tr("Close the message"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(40, 7, 10, 7);
  row->setSpacing(10);
  row->addWidget(text_, 1);
  row->addWidget(action_);
  row->addWidget(close_);
  connect(close_, &QPushButton::clicked, this, &MessageBar::clear);
  connect(action_, &QPushButton::clicked, this, &MessageBar::actionWanted);
  hide();
}

void MessageBar::say(Kind kind, const QString& text, const QString& action) {
  kind_ = kind;
  text_->setText(text);
  setAccessibleDescription(text);
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  show();
  update();
}

void MessageBar::clear() {
  text_->clear();
  hide();
}

QString MessageBar::text() const { return text_->text(); }

void MessageBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool problem = kind_ == Kind::Problem;
  const QColor colour = problem ? theme().bad : theme().accent;
  drawBox(painter, rect(), 5, problem ? theme().badSoft : theme().accentSoft, colour);
  painter.drawPixmap(QPointF(14, height() / 2.0 - 8),
                     tintedIcon(problem ? QStringLiteral("error") : QStringLiteral("note"), colour,
                                16, devicePixelRatioF()));
}

}  // namespace shardlens
