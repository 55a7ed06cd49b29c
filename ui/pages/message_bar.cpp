#include "ui/pages/message_bar.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <utility>

// KMessageWidget, KCommandBar and KShortcutsDialog need KDE Frameworks 6, which Debian 12 does not
// have.
namespace shardlens {

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel), action_(new QPushButton), close_(new QPushButton) {
  setObjectName(QStringLiteral("messageBar"));
  setAccessibleName(tr("Message"));
  text_->setObjectName(QStringLiteral("messageText"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  action_->setObjectName(QStringLiteral("messageAction"));
  action_->setAccessibleName(tr("Action of the message"));
  close_->setObjectName(QStringLiteral("messageClose"));
  close_->setAccessibleName(tr("Close message"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(40, 7, 10, 7);
  row->setSpacing(10);
  row->addWidget(text_, 1);
  row->addWidget(action_);
  row->addWidget(close_);
  connect(close_, &QPushButton::clicked, this, &MessageBar::close);
  connect(action_, &QPushButton::clicked, this, &MessageBar::act);
  hide();
}

void MessageBar::showMessage(const QString& subject, Message message) {
  std::erase_if(messages_, [&](const Entry& entry) { return entry.subject == subject; });
  messages_.push_back({subject, std::move(message)});
  showNewest();
}

void MessageBar::withdraw(const QString& subject) {
  std::erase_if(messages_, [&](const Entry& entry) { return entry.subject == subject; });
  showNewest();
}

void MessageBar::clear() {
  messages_.clear();
  showNewest();
}

void MessageBar::close() {
  messages_.pop_back();
  showNewest();
}

// Closes the message, then runs its action, so that the action runs only once.
void MessageBar::act() {
  const auto run = std::exchange(messages_.back().message.run, nullptr);
  close();
  run();
}

void MessageBar::showNewest() {
  const Message message = messages_.empty() ? Message() : messages_.back().message;
  text_->setText(message.text);
  setAccessibleDescription(message.text);
  action_->setText(message.action);
  action_->setVisible(!message.action.isEmpty());
  close_->setText(messages_.size() < 2 ? tr("close")
                                       : tr("close, %1 more").arg(messages_.size() - 1));
  setVisible(!messages_.empty());
  update();
}

QString MessageBar::text() const { return text_->text(); }

void MessageBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool problem = !messages_.empty() && messages_.back().message.kind == Kind::Problem;
  const QColor colour = problem ? theme().bad : theme().accent;
  drawBox(painter, rect(), 5, problem ? theme().badSoft : theme().accentSoft, colour);
  painter.drawPixmap(QPointF(14, height() / 2.0 - 8),
                     tintedIcon(problem ? QStringLiteral("error") : QStringLiteral("note"), colour,
                                16, devicePixelRatioF()));
}

}  // namespace shardlens
