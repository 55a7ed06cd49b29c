#include "ui/shell/top_bar.h"

#include "ui/panels/panel.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/icons.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kSlim = 4;
constexpr int kGap = 14;     // between the parts
constexpr int kMoveGap = 6;  // between the buttons that move the cursor
constexpr int kTitle = 120;  // a title that is narrower than this is hidden if it is elided
constexpr int kAbout = 90;   // likewise

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
      menuButton_(new QPushButton(tr("&Menu"))),
      allMenus_(new QMenu(this)),
      title_(new ElidedLabel(ElidedLabel::Role::Detail)),
      about_(new ElidedLabel(ElidedLabel::Role::Aside)),
      moves_(group(kMoveGap)),
      more_(new QPushButton(QStringLiteral("…"))),
      corner_(group(0)),
      problems_(new QPushButton),
      position_(new QLabel),
      busy_(new QProgressBar(this)) {
  setObjectName(QStringLiteral("topBar"));
  moves_->setObjectName(QStringLiteral("moves"));
  menuButton_->setObjectName(QStringLiteral("menuButton"));
  allMenus_->setObjectName(QStringLiteral("allMenus"));
  menuButton_->setAccessibleName(tr("Open all menus"));
  menuButton_->setToolTip(tr("All menus"));
  menuButton_->setFlat(true);
  menuButton_->setFocusPolicy(Qt::TabFocus);
  connect(menuButton_, &QPushButton::clicked, this, [this] {
    allMenus_->clear();
    allMenus_->addActions(menus_->actions());
    allMenus_->popup(menuButton_->mapToGlobal(menuButton_->rect().bottomLeft()));
  });
  more_->setObjectName(QStringLiteral("moreMoves"));
  more_->setAccessibleName(tr("More moves"));
  more_->setToolTip(tr("Moves without a button"));
  more_->setFocusPolicy(Qt::TabFocus);
  connect(more_, &QPushButton::clicked, this, &TopBar::openMore);
  menus_->setNativeMenuBar(false);
  menus_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  title_->setObjectName(QStringLiteral("documentTitle"));
  about_->setObjectName(QStringLiteral("documentAbout"));
  position_->setObjectName(QStringLiteral("position"));
  position_->setToolTip(tr("Click to type the number of an event"));
  position_->setCursor(Qt::PointingHandCursor);
  position_->installEventFilter(this);
  problems_->setObjectName(QStringLiteral("problemCount"));
  problems_->setFlat(true);
  problems_->setFocusPolicy(Qt::TabFocus);
  problems_->hide();
  connect(problems_, &QPushButton::clicked, this, &TopBar::problemsRequested);
  busy_->setObjectName(QStringLiteral("busy"));
  busy_->setAccessibleName(tr("Waiting for the engine"));
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->hide();
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 10, 1);
  row->setSpacing(kGap);
  row->addWidget(menus_, 0, Qt::AlignVCenter);
  row->addWidget(menuButton_);
  row->addWidget(title_);
  row->addWidget(about_, 1000);
  row->addStretch(1);  // while about_ is hidden
  row->addWidget(problems_);
  row->addWidget(position_);  // it grows to the left, so the buttons do not move
  row->addWidget(moves_);
  moves_->layout()->addWidget(more_);
  row->addWidget(corner_);
  atEachZoom(this, [this] {
    position_->setFont(zoomed(textFont(12, Weight::Bold)));
    fit();
  });
  constexpr int kAway = 400;  // milliseconds
  left_.setInterval(kAway);
  connect(&left_, &QTimer::timeout, this, [this] {
    if (QApplication::activePopupWidget() == nullptr) {
      left_.stop();
      setReached(underMouse());
    }
  });
}

void TopBar::addMove(QAction* action, const QString& text, Priority priority) {
  QPushButton* button = buttonFor(action, text);
  button->setProperty("primary", priority == Priority::Main);
  auto* row = static_cast<QHBoxLayout*>(moves_->layout());
  row->insertWidget(row->count() - 1, button);
  buttons_.push_back({button, action, priority});
}

void TopBar::setMoveText(const QAction& action, const QString& text) {
  for (const Move& move : buttons_) {
    if (move.action == &action && move.button->text() != text) {
      const int width = move.button->sizeHint().width();
      move.button->setText(text);
      move.button->setMinimumWidth(std::max(width, move.button->sizeHint().width()));
    }
  }
}

// Opens a menu of the moves whose buttons are hidden.
void TopBar::openMore() {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("moreMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const Move& move : buttons_) {
    if (move.button->isHidden()) {
      menu->addAction(move.action);
    }
  }
  menu->popup(more_->mapToGlobal(more_->rect().bottomLeft()));
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

void TopBar::setPosition(const QString& text, const QString& widest) {
  position_->setText(text);
  position_->setAccessibleName(text);
  const int room = std::max(position_->fontMetrics().horizontalAdvance(widest) + 2,
                            position_->sizeHint().width());
  if (room != std::exchange(positionRoom_, room)) {
    showParts();
  }
}

void TopBar::setProblems(const QString& summary, const QString& icon, const QColor& colour) {
  problemsText_ = summary;
  problems_->setAccessibleName(tr("Problems: %1").arg(summary));
  problems_->setToolTip(tr("%1. Show problems").arg(summary));
  problems_->setIcon(tintedIcon(icon, colour, 14, devicePixelRatioF()));
  showParts();
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

// Shows what fits. In a narrow window, hides the corner, then replaces the menus by a button, hides
// the title, shortens the problems to their icon, and moves buttons into the menu of "…".
void TopBar::showParts() {
  const bool any = !title_->text().isEmpty();
  const bool hasProblems = !problemsText_.isEmpty();
  const auto hint = [](const QWidget* part) { return part->sizeHint().width(); };
  showProblemsText(true);
  const QMargins margins = layout()->contentsMargins();
  int room = width() - margins.left() - margins.right();
  const auto take = [&](int part) {
    room -= part == 0 ? 0 : part + kGap;
    return part;
  };
  const int titleHint = hint(title_);
  const int title = std::min(titleHint, zoomed(kTitle));
  const int corner = take(hint(corner_));
  const int menus = take(hint(menus_));
  const int titled = any ? take(title) : 0;
  const int problems = hasProblems ? take(hint(problems_)) : 0;
  take(any ? positionRoom_ : 0);
  for (const Move& move : buttons_) {
    room -= any ? hint(move.button) + kMoveGap : 0;
  }
  const bool showsCorner = room >= 0 || corner == 0;
  room += showsCorner ? 0 : corner + kGap;
  const bool showsMenus = room >= 0;
  room += showsMenus ? 0 : menus - hint(menuButton_);
  const bool showsTitle = any && room >= 0;
  room += showsTitle || titled == 0 ? 0 : titled + kGap;
  if (room < 0 && hasProblems) {
    showProblemsText(false);
    room += problems - hint(problems_);
  }
  std::vector<Move> moves(buttons_.rbegin(), buttons_.rend());
  std::stable_sort(moves.begin(), moves.end(), [](const Move& left, const Move& right) {
    return left.priority < right.priority;
  });
  bool hidesMoves = false;
  for (const Move& move : moves) {
    const bool shown = room >= 0;
    if (!shown) {
      room += hint(move.button) + kMoveGap - (hidesMoves ? 0 : hint(more_) + kMoveGap);
      hidesMoves = true;
    }
    move.button->setVisible(shown);
  }
  const int whole = room + title - titleHint;  // left of the title, if it is not elided
  menus_->setVisible(showsMenus && !isLine());
  menuButton_->setVisible(!showsMenus && !isLine());
  title_->setVisible(showsTitle && !isLine());
  about_->setVisible(!isLine() && showsTitle && whole >= std::min(hint(about_), zoomed(kAbout)));
  more_->setVisible(hidesMoves);
  moves_->setVisible(any && !isLine());
  position_->setVisible(any && !isLine());
  problems_->setVisible(hasProblems && !isLine());
  corner_->setVisible(showsCorner && !isLine());
  update();
}

void TopBar::showProblemsText(bool shown) {
  const QString text = shown ? problemsText_ : QString();
  if (problems_->text() != text) {
    problems_->setText(text);
  }
}

bool TopBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == position_ && event->type() == QEvent::MouseButtonPress) {
    Q_EMIT positionRequested();
    return true;
  }
  return QWidget::eventFilter(watched, event);
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
