#include "ui/shell/top_bar.h"

#include "ui/panels/panel.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/icons.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>

namespace shardlens {
namespace {

constexpr int kRoomForAll = 960;
constexpr int kSlim = 4;

QPushButton* buttonFor(QAction* action, const QString& text) {
  auto* button = new QPushButton(text);
  button->setObjectName(action->objectName() + QStringLiteral("Button"));
  button->setAccessibleName(action->toolTip());
  button->setToolTip(QStringLiteral("%1 (%2)").arg(
      action->toolTip(), action->shortcut().toString(QKeySequence::NativeText)));
  button->setEnabled(action->isEnabled());
  button->setFocusPolicy(Qt::TabFocus);
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  QObject::connect(action, &QAction::enabledChanged, button, &QPushButton::setEnabled);
  return button;
}

QWidget* group(int spacing) {
  auto* widget = new QWidget;
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(spacing);
  return widget;
}

}  // namespace

TopBar::TopBar(QWidget* parent)
    : QWidget(parent),
      menus_(new QMenuBar),
      title_(new ElidedLabel(ElidedLabel::Role::Detail)),
      about_(new ElidedLabel(ElidedLabel::Role::Aside)),
      moves_(group(6)),
      farMoves_(group(6)),
      corner_(group(0)),
      problems_(new QPushButton),
      position_(new QLabel),
      busy_(new QProgressBar(this)) {
  setObjectName(QStringLiteral("topBar"));
  moves_->setObjectName(QStringLiteral("moves"));
  menus_->setNativeMenuBar(false);
  menus_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  title_->setObjectName(QStringLiteral("documentTitle"));
  about_->setObjectName(QStringLiteral("documentAbout"));
  position_->setObjectName(QStringLiteral("position"));
  problems_->setObjectName(QStringLiteral("problemCount"));
  problems_->setFlat(true);
  problems_->setFocusPolicy(Qt::TabFocus);
  problems_->hide();
  connect(problems_, &QPushButton::clicked, this, &TopBar::problemsRequested);
  atEachZoom(this, [this] {
    fit();
    position_->setFont(zoomed(textFont(12, Weight::Bold)));
  });
  busy_->setObjectName(QStringLiteral("busy"));
  busy_->setAccessibleName(tr("Waiting for the engine"));
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->hide();
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 10, 1);
  row->setSpacing(14);
  row->addWidget(menus_, 0, Qt::AlignVCenter);
  row->addWidget(title_);
  row->addWidget(about_, 1);
  row->addWidget(problems_);
  row->addWidget(position_);  // it grows to the left, so the buttons do not move
  row->addWidget(moves_);
  row->addWidget(farMoves_);
  row->addWidget(corner_);
  constexpr int kAway = 400;  // milliseconds
  left_.setInterval(kAway);
  connect(&left_, &QTimer::timeout, this, [this] {
    if (QApplication::activePopupWidget() == nullptr) {
      left_.stop();
      setReached(underMouse());
    }
  });
}

void TopBar::addMove(QAction* action, const QString& text, bool isMain) {
  QPushButton* button = buttonFor(action, text);
  button->setProperty("primary", isMain);
  moves_->layout()->addWidget(button);
}

void TopBar::addFarMove(QAction* action, const QString& text) {
  farMoves_->layout()->addWidget(buttonFor(action, text));
}

void TopBar::addCorner(QAction* action, const QString& text) {
  QPushButton* button = buttonFor(action, text);
  button->setFlat(true);
  corner_->layout()->addWidget(button);
}

void TopBar::setTitle(const QString& title, const QString& about) {
  title_->setText(title);
  about_->setText(about);
  showParts();
}

void TopBar::setPosition(const QString& text) {
  position_->setText(text);
  position_->setAccessibleName(text);
}

void TopBar::setProblems(const QString& summary, const QString& icon, const QColor& colour) {
  problems_->setText(summary);
  showParts();
  problems_->setAccessibleName(tr("Problems: %1").arg(summary));
  problems_->setToolTip(tr("%1. Show problems").arg(summary));
  problems_->setIcon(tintedIcon(icon, colour, 14, devicePixelRatioF()));
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showParts();
  busy_->setGeometry(0, height() - 3, width(), 3);
}

void TopBar::setSlim(bool slim) {
  slim_ = slim;
  reached_ = false;
  fit();
}

void TopBar::setReached(bool reached) {
  reached_ = reached;
  fit();
}

void TopBar::fit() {
  setFixedHeight(isLine() ? kSlim : zoomed(kHeight));
  showParts();
}

void TopBar::enterEvent(QEnterEvent* event) {
  QWidget::enterEvent(event);
  left_.stop();
  setReached(true);
}

// Delays the return to a line, because the menus are outside of the bar.
void TopBar::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  left_.start();
}

// Hides buttons in a narrow window; keys and menus have the same commands.
void TopBar::showParts() {
  const bool any = !title_->text().isEmpty();
  menus_->setVisible(!isLine());
  title_->setVisible(!isLine());
  about_->setVisible(!isLine());
  moves_->setVisible(any && !isLine());
  position_->setVisible(any && !isLine());
  problems_->setVisible(!problems_->text().isEmpty() && !isLine());
  corner_->setVisible(width() >= zoomed(kRoomForAll) && !isLine());
  farMoves_->setVisible(any && !isLine() &&
                        width() >= zoomed(kRoomForAll) + farMoves_->sizeHint().width());
  update();
}

void TopBar::setShare(double share) {
  share_ = share;
  update();
}

void TopBar::setBusy(bool busy) { busy_->setVisible(busy); }

bool TopBar::isBusy() const { return busy_->isVisibleTo(this); }

void TopBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().card);
  painter.fillRect(0, height() - 1, width(), 1, theme().border);
  if (isLine()) {
    painter.fillRect(QRectF(0, 0, width() * share_, height()), theme().accent);
  }
}

QString TopBar::position() const { return position_->text(); }

}  // namespace shardlens
