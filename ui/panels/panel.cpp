#include "ui/panels/panel.h"

#include "core/view/words/run_again.h"
#include "ui/models/table_model.h"
#include "ui/text/compact.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainterPath>
#include <QRegularExpression>
#include <utility>

namespace shardlens {
namespace {

constexpr int kHeaderHeight = 34;
constexpr double kRadius = 5;

// Returns the outline of the header (top) or the body of a card: rounded on the outer side, open on
// the side between them.
QPainterPath cardEdge(const QRectF& box, bool top) {
  constexpr double kAcross = 2 * kRadius;
  const double cut = top ? box.bottom() : box.top();
  const double round = top ? box.top() : box.bottom();
  const double inwards = top ? kRadius : -kRadius;
  const double corner = top ? round : round - kAcross;
  const double turn = top ? -90 : 90;
  QPainterPath edge(QPointF(box.left(), cut));
  edge.lineTo(box.left(), round + inwards);
  edge.arcTo(QRectF(box.left(), corner, kAcross, kAcross), 180, turn);
  edge.lineTo(box.right() - kRadius, round);
  edge.arcTo(QRectF(box.right() - kAcross, corner, kAcross, kAcross), top ? 90 : 270, turn);
  edge.lineTo(box.right(), cut);
  return edge;
}

void paintCard(QWidget* widget, bool top) {
  QPainter painter(widget);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF all(widget->rect());
  painter.setBrush(theme().card);
  painter.setPen(QPen(theme().border, 1));
  painter.drawPath(cardEdge(top ? all.adjusted(1, 1, -1, 0) : all.adjusted(1, 0, -1, -1), top));
  if (top) {
    painter.drawLine(QPointF(0, all.bottom() - 0.5), QPointF(all.right(), all.bottom() - 0.5));
  }
}

// Returns as many of the parts, from the first on, as fit. A single part "step 6 of 8" becomes
// "step 6"; another one is elided at its end, or omitted if less than 60 % of it would be visible.
QString fittingParts(const QString& text, const QFontMetricsF& metrics, double width) {
  QString shown = metrics.horizontalAdvance(text) > width ? compactPlacements(text) : text;
  while (metrics.horizontalAdvance(shown) > width) {
    const auto last = shown.lastIndexOf(u'·');
    if (last <= 0) {
      static const QRegularExpression kCount(QStringLiteral(R"(^(.*\d) of \d+$)"));
      const QString count = kCount.match(shown).captured(1);
      if (!count.isEmpty() && metrics.horizontalAdvance(count) <= width) return count;
      return width < 0.6 * metrics.horizontalAdvance(shown)
                 ? QString()
                 : metrics.elidedText(shown, Qt::ElideRight, width);
    }
    shown = shown.left(last).trimmed();
  }
  return shown;
}

}  // namespace

ElidedLabel::ElidedLabel(Role role, QWidget* parent) : QWidget(parent), role_(role) {
  setSizePolicy(role == Role::Title || role == Role::Figures ? QSizePolicy::Fixed
                : role == Role::Detail                       ? QSizePolicy::Maximum
                                                             : QSizePolicy::Ignored,
                QSizePolicy::Preferred);
  connect(&Zoom::now(), &Zoom::changed, this, &QWidget::updateGeometry);
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
  return zoomed(loud                      ? shardlens::textFont(12, Weight::Bold)
                : role_ == Role::Sentence ? shardlens::textFont(12)
                                          : shardlens::textFont(11));
}

QSize ElidedLabel::sizeHint() const {
  const QFontMetrics metrics(textFont());
  return {text_.isEmpty() ? 0 : metrics.horizontalAdvance(text_) + 2, metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const {
  const QSize hint = sizeHint();
  const bool whole = role_ == Role::Title || role_ == Role::Figures;
  return {whole ? hint.width() : std::min(hint.width(), zoomed(24)), hint.height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const bool loud = role_ == Role::Title || role_ == Role::Detail || role_ == Role::Sentence;
  if (role_ == Role::Detail && width() < std::min(sizeHint().width(), zoomed(40))) {
    return;  // an ellipsis alone has no information
  }
  const QString shown = loud ? text_ : fittingParts(text_, QFontMetricsF(textFont()), width());
  drawLine(painter, rect(), shown, loud ? theme().text : theme().muted, textFont(),
           (role_ == Role::Note ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

PanelHeader::PanelHeader(QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel(ElidedLabel::Role::Title, this)),
      detail_(new ElidedLabel(ElidedLabel::Role::Detail, this)),
      note_(new ElidedLabel(ElidedLabel::Role::Note, this)),
      row_(new QHBoxLayout(this)) {
  atEachZoom(this, [this] { setFixedHeight(zoomed(kHeaderHeight)); });
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

QSize PanelHeader::sizeHint() const { return {200, zoomed(kHeaderHeight)}; }

QSize PanelHeader::minimumSizeHint() const { return {80, zoomed(kHeaderHeight)}; }

void PanelHeader::addControl(QWidget* control) {
  controls_.push_back(control);
  row_->addWidget(control);
}

void PanelHeader::setTabbed(bool tabbed) {
  tabbed_ = tabbed;
  title_->setVisible(!tabbed_);
}

void PanelHeader::setControlsVisible(bool visible) {
  title_->setVisible(!tabbed_ || !visible);
  for (QWidget* control : visible ? std::exchange(hidden_, {}) : controls_) {
    if (!visible && !control->isHidden()) {
      hidden_.push_back(control);
    }
    control->setVisible(visible);
  }
}

void PanelHeader::paintEvent(QPaintEvent* /*event*/) { paintCard(this, /*top=*/true); }

Panel::Panel(QWidget* parent) : QWidget(parent), header_(new PanelHeader(parent)) {}

void Panel::setTitle(const QString& title) {
  title_ = title;
  header_->setTitle(title);
  setAccessibleName(title);
}

void Panel::paintEvent(QPaintEvent* /*event*/) { paintCard(this, /*top=*/false); }

QSize Panel::minimumSizeHint() const { return {160, 80}; }

void Panel::leadToEvents(QAbstractItemView& view) {
  leadToEvents(view,
               [](const QModelIndex& row) { return row.data(TableModel::EventRole).toUInt(); });
}

void Panel::leadToEvents(QAbstractItemView& view,
                         const std::function<EventId(const QModelIndex&)>& eventOf) {
  shardlens::leadToEvents(view, eventOf, [this](WithEvent action, EventId event) {
    action == WithEvent::Go ? Q_EMIT positionRequested(event)
                            : Q_EMIT similarRequested(action, event);
  });
}

void Panel::offerQuery(QMenu& menu, const QString& noun, const QString& query) {
  connect(menu.addAction(tr("Filter by this %1").arg(noun)), &QAction::triggered, this,
          [this, query] { Q_EMIT filterRequested(query); });
  connect(menu.addAction(tr("Break on this %1").arg(noun)), &QAction::triggered, this,
          [this, query] { Q_EMIT breakpointRequested(query); });
}

void Panel::offerSimilar(QMenu& menu, const QString& noun, EventId event) {
  if (event == 0) {
    return;
  }
  connect(menu.addAction(tr("Filter by this %1").arg(noun)), &QAction::triggered, this,
          [this, event] { Q_EMIT similarRequested(WithEvent::Filter, event); });
  connect(menu.addAction(tr("Break on this %1").arg(noun)), &QAction::triggered, this,
          [this, event] { Q_EMIT similarRequested(WithEvent::Break, event); });
}

void Panel::offerWhatIf(QMenu& menu, const Journal& journal, TensorId id) {
  if (id == 0) {
    return;
  }
  const QString tensor = toQString(journal.tensor(id).name);
  QAction* action = menu.addAction(tr("What if %1 were placed differently…").arg(tensor));
  action->setObjectName(QStringLiteral("whatIfThis"));
  const QString reason = toQString(view::whyNotRunAgain(journal));
  action->setEnabled(reason.isEmpty());
  action->setToolTip(reason);
  connect(action, &QAction::triggered, this, [this, tensor] { Q_EMIT whatIfRequested(tensor); });
}

void Panel::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("panelMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  QWidget* part = byKey ? focusWidget() : childAt(event->pos());
  for (; part != nullptr && part != this; part = part->parentWidget()) {
    menu->addActions(part->actions());
  }
  offerAt(*menu, event->pos());
  menu->addSeparator();
  connect(menu->addAction(tr("Copy picture of panel")), &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setPixmap(grab()); });
  connect(menu->addAction(tr("Export panel…")), &QAction::triggered, this, &Panel::exportRequested);
  menu->popup(event->globalPos());
}

}  // namespace shardlens
