#include "ui/pages/tour.h"

#include "ui/widgets/paint.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainterPath>
#include <QPushButton>
#include <QVBoxLayout>
#include <array>

namespace shardlens {
namespace {

struct Stop {
  const char* part;  // object name of the widget
  const char* title;
  const char* text;
};

constexpr std::array<Stop, 5> kStops{{
    {"programPanel", QT_TRANSLATE_NOOP("Tour", "Program"),
     QT_TRANSLATE_NOOP(
         "Tour",
         "The lines of the program. The current line is marked. Click a line to go to it.")},
    {"eventsPanel", QT_TRANSLATE_NOOP("Tour", "Events"),
     QT_TRANSLATE_NOOP(
         "Tour",
         "The steps of the program as a tree: operators, and in them cache lookups, "
         "redistributions, collectives and local compute. Implicit redistributions are red.")},
    {"shardsPanel", QT_TRANSLATE_NOOP("Tour", "Shards"),
     QT_TRANSLATE_NOOP("Tour",
                       "The part of a tensor on each rank. The colour of an element shows its "
                       "index in the whole tensor, so a row keeps its colour on every rank.")},
    {"whyPanel", QT_TRANSLATE_NOOP("Tour", "Why"),
     QT_TRANSLATE_NOOP("Tour",
                       "The candidate strategies with their costs, and the plan of a "
                       "redistribution with its alternatives.")},
    {"moves", QT_TRANSLATE_NOOP("Tour", "Move forward and back"),
     QT_TRANSLATE_NOOP("Tour",
                       "Right goes to the next event, Left to the previous one, F10 steps over "
                       "nested events. All panels show the same position. ? lists the shortcuts.")},
}};

// Returns the widget of the stop. For a panel, returns its dock, which includes the title.
QWidget* partOf(const QWidget& window, const Stop& stop) {
  const QString name = QLatin1String(stop.part);
  auto* part = window.findChild<QWidget*>(name);
  return name.endsWith(QStringLiteral("Panel")) ? part->parentWidget() : part;
}

// The card of the tour; paints its background.
class TourCard final : public QWidget {
 public:
  using QWidget::QWidget;

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawBox(painter, rect(), 6, theme().card, theme().accent, 1.6);
  }
};

QPushButton* tourButton(const char* name, const QString& text, const QString& description) {
  auto* result = new QPushButton(text);
  result->setObjectName(QLatin1String(name));
  result->setAccessibleName(description);
  result->setAutoDefault(true);
  return result;
}

}  // namespace

Tour::Tour(QWidget* window)
    : QWidget(window),
      card_(new TourCard(this)),
      title_(new QLabel),
      text_(new QLabel),
      end_(tourButton("tourEnd", tr("End"), tr("End the tour"))),
      back_(tourButton("tourBack", tr("Back"), tr("Previous part"))),
      next_(tourButton("tourNext", tr("Next"), tr("Next part"))) {
  setObjectName(QStringLiteral("tour"));
  setAccessibleName(tr("Tour of the window"));
  title_->setObjectName(QStringLiteral("tourTitle"));
  text_->setObjectName(QStringLiteral("tourText"));
  text_->setWordWrap(true);
  next_->setProperty("primary", true);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(end_);
  buttons->addStretch(1);
  buttons->addWidget(back_);
  buttons->addWidget(next_);
  auto* column = new QVBoxLayout(card_);
  column->setContentsMargins(18, 14, 18, 14);
  column->setSpacing(10);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addLayout(buttons);
  atEachZoom(this, [this] {
    title_->setFont(zoomed(textFont(13, Weight::Bold)));
    card_->setFixedWidth(std::min(zoomed(330), std::max(220, parentWidget()->width() - 24)));
  });
  connect(end_, &QPushButton::clicked, this, &Tour::finish);
  connect(back_, &QPushButton::clicked, this, [this] { show(stop_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { show(stop_ + 1); });
  window->installEventFilter(this);
  hide();
}

void Tour::begin() {
  focus_ = QApplication::focusWidget();
  setGeometry(parentWidget()->rect());
  raise();
  QWidget::show();
  show(0);
}

void Tour::finish() {
  if (isHidden()) {
    return;
  }
  hide();
  if (focus_ != nullptr) {
    focus_->setFocus();
  }
}

void Tour::show(int stop) {
  if (stop == static_cast<int>(kStops.size())) {
    return finish();
  }
  stop_ = stop;
  const Stop& at = kStops[static_cast<std::size_t>(stop)];
  title_->setText(tr("%1  ·  %2 of %3").arg(tr(at.title)).arg(stop + 1).arg(kStops.size()));
  text_->setText(tr(at.text));
  setAccessibleDescription(text_->text());
  back_->setEnabled(stop > 0);
  next_->setText(stop + 1 == static_cast<int>(kStops.size()) ? tr("Done") : tr("Next"));
  auto* dock = qobject_cast<QDockWidget*>(partOf(*parentWidget(), at));
  if (dock != nullptr && !dock->isHidden()) {
    dock->raise();
  }
  place();
  next_->setFocus();
}

// Places the card beside the part if there is room, otherwise over it.
void Tour::place() {
  constexpr int kGap = 12;
  const QWidget* part = partOf(*parentWidget(), kStops[static_cast<std::size_t>(stop_)]);
  part_ = part->isVisible() ? QRect(part->mapTo(parentWidget(), QPoint()), part->size()) : QRect();
  card_->adjustSize();
  const QRect room = rect().adjusted(kGap, kGap, -kGap, -kGap);
  QRect card(QPoint(), card_->size());
  card.moveCenter(part_.isEmpty() ? room.center() : part_.center());
  const QRect right = card.translated(part_.right() + kGap - card.left(), 0);
  const QRect left = card.translated(part_.left() - kGap - card.right(), 0);
  const QRect below = card.translated(0, part_.bottom() + kGap - card.top());
  const bool flat = part_.height() < card.height() / 2;
  if (!part_.isEmpty()) {
    card = flat                            ? below
           : right.right() <= room.right() ? right
           : left.left() >= room.left()    ? left
                                           : card;
  }
  card.moveLeft(qBound(room.left(), card.left(), room.right() - card.width()));
  card.moveTop(qBound(room.top(), card.top(), room.bottom() - card.height()));
  card_->setGeometry(card);
  update();
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath dimmed;
  dimmed.addRect(rect());
  QPainterPath seen;
  seen.addRoundedRect(QRectF(part_).adjusted(-3, -3, 3, 3), 6, 6);
  painter.fillPath(part_.isEmpty() ? dimmed : dimmed.subtracted(seen), QColor(0, 0, 0, 110));
  if (!part_.isEmpty()) {
    painter.setPen(QPen(theme().accent, 2));
    painter.drawPath(seen);
  }
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    finish();
  }
}

// Tab cycles through the buttons of the card.
bool Tour::focusNextPrevChild(bool next) {
  QList<QPushButton*> buttons{end_, back_, next_};
  buttons.removeIf([](const QPushButton* tourButton) { return !tourButton->isEnabled(); });
  const auto at = buttons.indexOf(qobject_cast<QPushButton*>(QApplication::focusWidget()));
  const auto to = (at + (next ? 1 : -1) + buttons.size()) % buttons.size();
  buttons[to]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  return true;
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) {
    setGeometry(parentWidget()->rect());
    place();
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardlens
