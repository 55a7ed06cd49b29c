#include "ui/widgets/shards_canvas.h"

#include "core/model/spec.h"
#include "core/view/words/empty_text.h"
#include "ui/scenes/shard_words.h"
#include "ui/text/format.h"
#include "ui/widgets/accessible_value.h"
#include "ui/widgets/arrow_keys.h"
#include "ui/widgets/motion.h"
#include "ui/widgets/own_action.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/shard_painter.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr double kShardsMargin = 12;
constexpr double kLeft = 22;    // height of the line below the cards
constexpr double kBeside = 80;  // margin around the visible area in which cells are laid out too

QRectF between(const QRectF& from, const QRectF& to, double share) {
  const auto mix = [share](double a, double b) { return a + (b - a) * share; };
  return {mix(from.x(), to.x()), mix(from.y(), to.y()), mix(from.width(), to.width()),
          mix(from.height(), to.height())};
}

QRectF zoomedRect(const QRectF& rect) {
  const double factor = Zoom::now().factor();
  return {rect.topLeft() * factor, rect.size() * factor};
}

}  // namespace

ShardsCanvas::ShardsCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shardsCanvas"));
  setFocusPolicy(Qt::StrongFocus);
  addOwnAction(*this, tr("Show in Inspector"), Qt::Key_Return, [this] { requestCurrent(); });
  addOwnAction(*this, tr("Zoom in"), Qt::Key_Plus, [this] { magnifyByKey(1); });
  addOwnAction(*this, tr("Zoom out"), Qt::Key_Minus, [this] { magnifyByKey(-1); });
  addOwnAction(*this, tr("Reset zoom"), Qt::Key_0, [this] { magnifyByKey(0); });
  connect(&Zoom::now(), &Zoom::changed, this, &ShardsCanvas::layOut);
  stepped_.setSingleShot(true);
  stepped_.setInterval(Motion::kDuration);
  clock_.setDuration(Motion::kDuration);
  clock_.setStartValue(0.0);
  clock_.setEndValue(1.0);
  clock_.setEasingCurve(QEasingCurve::InOutCubic);
  connect(&clock_, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
  connect(&clock_, &QVariantAnimation::finished, this, [this] {
    motion_ = {};
    update();
  });
}

// A step during the animation of the previous one ends that animation and is not animated, so that
// a held key is not slowed down.
void ShardsCanvas::setTensor(const Journal& journal, const Snapshot& snapshot,
                             std::shared_ptr<const TensorView> view, const TensorSlice& slice) {
  const bool mayMove =
      !isStepping() && isVisible() && journal_ == &journal && Motion::isOn(*this) &&
      view_->record != nullptr && view->record != nullptr &&
      snapshot_.position != snapshot.position && slice_.shape() == slice.shape() &&
      isSameData(journal, snapshot_, view_->record->id, snapshot, view->record->id);
  ShardsScene before;
  const auto viewBefore = view_;
  if (mayMove) {
    scene();  // lays out the visible cells
    before = std::move(scene_);
  }
  clock_.stop();
  motion_ = {};
  stepped_.start();
  journal_ = &journal;
  none_ = toQString(view::noneText(journal, "tensors", "No tensors yet"));
  snapshot_ = snapshot;
  view_ = std::move(view);
  if (view_->record != nullptr && view_->parts.empty()) {
    none_ = tr("No values of %1 were recorded, and its placement is unknown")
                .arg(toQString(view_->record->name));
  }
  slice_ = slice;
  makeSource();
  layOut();
  if (mayMove) {
    begin(motionBetween(*viewBefore, before, *view_, scene()));
  }
}

void ShardsCanvas::begin(const ShardMotion& motion) {
  if (!motion.isEmpty()) {
    motion_ = motion;
    clock_.start();
  }
}

void ShardsCanvas::setSlice(const TensorSlice& slice) {
  slice_ = slice;
  makeSource();
  layOut();
}

void ShardsCanvas::setAlwaysNumbers(bool always) {
  alwaysNumbers_ = always;
  makeSource();
  layOut();
}

void ShardsCanvas::makeSource() {
  clock_.stop();
  motion_ = {};
  dark_ = theme().dark();
  source_ = journal_ == nullptr || view_->record == nullptr
                ? nullptr
                : std::make_unique<ShardsSource>(*journal_, snapshot_, *view_, slice_, dark_);
  if (source_) source_->alwaysNumbers = alwaysNumbers_;
}

void ShardsCanvas::setRoom(QSize room) {
  if (room != room_) {
    room_ = room;
    layOut();
  }
}

void ShardsCanvas::layOut() {
  const QSizeF inside = unzoomed(QSizeF(room_)) - QSizeF(2 * kShardsMargin, 2 * kShardsMargin);
  scene_ = source_ ? layoutShards(*source_, inside, magnifier_.factor()) : ShardsScene();
  laid_ = {};
  const double foot = scene_.left.isEmpty() ? 0 : kLeft;
  const QSizeF all = scene_.size + QSizeF(2 * kShardsMargin, 2 * kShardsMargin + foot);
  setFixedSize(
      room_.expandedTo(QSize(shardlens::zoomed(all.width()), shardlens::zoomed(all.height()))));
  setAccessibleName(scene_.cards.empty() ? none_
                                         : tr("Shards of %1").arg(toQString(view_->record->name)));
  updateAccessibleCurrent();
  update();
}

QRectF ShardsCanvas::seen() const {
  return unzoomed(QRectF(-QPointF(pos()), QSizeF(room_)))
      .translated(-kShardsMargin, -kShardsMargin);
}

const ShardsScene& ShardsCanvas::scene() const {
  if (source_ && !laid_.contains(seen())) {
    laid_ = seen().adjusted(-kBeside, -kBeside, kBeside, kBeside);
    layCells(*source_, scene_, laid_);
  }
  return scene_;
}

const ShardCard* ShardsCanvas::cardAt(QPointF place) const {
  const auto found = placeAt(place);
  return found ? &scene_.cards[found->card] : nullptr;
}

std::optional<CellPlace> ShardsCanvas::placeAt(QPointF place) const {
  return shardlens::placeAt(scene_, unzoomed(place) - QPointF(kShardsMargin, kShardsMargin));
}

QString ShardsCanvas::words(QPointF place) const {
  const auto there = placeAt(place);
  return there ? wordsOf(*there) : QString();
}

QString ShardsCanvas::wordsOf(const CellPlace& place) const {
  const ShardCard& card = scene_.cards[place.card];
  return hasCell(scene_, place)
             ? cellWords(*view_, card,
                         layoutCell(*source_, scene_.sizes, card, place.row, place.column))
             : cardWords(*view_, card);
}

void ShardsCanvas::paintEvent(QPaintEvent* event) {
  if (source_ && dark_ != theme().dark()) {
    makeSource();
    layOut();
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  zoom(painter);
  const QRectF all = unzoomed(QRectF(rect()));
  const ShardsScene& shown = scene();
  if (shown.cards.empty()) {
    drawLine(painter, all, none_, theme().muted, textFont(12), Qt::AlignCenter);
    return;
  }
  painter.translate(kShardsMargin, kShardsMargin);
  const QRectF exposed = unzoomed(QRectF(event->rect())).translated(-kShardsMargin, -kShardsMargin);
  const ShardPainter cards{painter, shown};
  for (std::size_t i = 0; i < shown.cards.size(); ++i) {
    const ShardCard& card = shown.cards[i];
    if (card.rect.adjusted(-2, -2, 18, 18).intersects(exposed)) {
      cards.drawCard(card, motion_.isEmpty() ? std::vector<bool>() : motion_.moved[i]);
    }
  }
  for (const ReductionSign& term : shown.signs) {
    cards.drawSign(term);
  }
  for (const CellTravel& travel : motion_.travels) {
    drawBox(painter, between(travel.from, travel.to, clock_.currentValue().toDouble()), 2,
            travel.fill, QColor());
  }
  if (hasFocus() && isThere(scene_, current_)) {
    cards.drawCursor(rectOf(scene_, current_));
  }
  drawLine(painter, QRectF(0, shown.size.height() + 2, all.width() - 2 * kShardsMargin, 18),
           shown.left, theme().warn, textFont(11, Weight::Bold));
}

std::optional<QRectF> ShardsCanvas::currentCell() const {
  return isThere(scene_, current_)
             ? std::optional(
                   zoomedRect(rectOf(scene_, current_).translated(kShardsMargin, kShardsMargin)))
             : std::nullopt;
}

std::optional<int> ShardsCanvas::currentRank() const {
  return isThere(scene_, current_)
             ? std::optional(view_->shown(scene_.cards[current_.card].ranks).rank)
             : std::nullopt;
}

bool ShardsCanvas::goToRank(int rank) {
  const ShardCard* card = scene_.cardOf(rank);
  if (card == nullptr) {
    return false;
  }
  setCurrent({static_cast<std::size_t>(card - scene_.cards.data()), 0, 0});
  return true;
}

void ShardsCanvas::moveBy(QPoint side, Stride stride) {
  if (!isThere(scene_, current_)) {
    return setCurrent({});
  }
  if (const auto beside = placeBeside(scene_, current_, side, stride)) {
    setCurrent(*beside);
  }
}

void ShardsCanvas::setCurrent(const CellPlace& place) {
  current_ = place;
  updateAccessibleCurrent();
  update();
  Q_EMIT currentMoved();
}

// Reports the current cell to screen readers: its place, and its value or further lines.
void ShardsCanvas::updateAccessibleCurrent() {
  const QString all = isThere(scene_, current_) && source_ ? wordsOf(current_) : QString();
  const QString first = all.section(u'\n', 0, 0);
  const QString rest = all.section(u'\n', 1);
  const QString value = first.section(QStringLiteral(" = "), 1);
  setAccessibleCurrent(*this, value.isEmpty() ? first : all, value.isEmpty() ? rest : value);
}

void ShardsCanvas::requestCurrent() {
  if (isThere(scene_, current_) && hasCell(scene_, current_)) {
    const ShardCard& card = scene_.cards[current_.card];
    const RankPart& part = view_->shown(card.ranks);
    const auto flat = layoutCell(*source_, scene_.sizes, card, current_.row, current_.column).flat;
    Q_EMIT cellRequested(part.rank, coordinates(part.local, flat));
  }
}

void ShardsCanvas::magnifyByKey(int steps) {
  const auto cell = hasFocus() ? currentCell() : std::nullopt;
  magnify(steps, cell ? cell->center() : QRectF(-QPointF(pos()), QSizeF(room_)).center());
}

void ShardsCanvas::magnify(int steps, QPointF place) {
  const QPointF seenAt = place + pos();
  const auto at = placeAt(place);
  const QSizeF before = scene_.size;
  const QPointF inside = unzoomed(place) - QPointF(kShardsMargin, kShardsMargin);
  const QRectF card = at ? scene_.cards[at->card].rect : QRectF();
  const QPointF share((inside.x() - card.x()) / std::max(1.0, card.width()),
                      (inside.y() - card.y()) / std::max(1.0, card.height()));
  if (!source_ || !magnifier_.zoom(steps, scene_.sizes.most)) {
    return;
  }
  layOut();
  if (isThere(scene_, current_)) {
    current_ = nearestCell(scene_, current_);
  }
  QPointF to(inside.x() * scene_.size.width() / std::max(1.0, before.width()),
             inside.y() * scene_.size.height() / std::max(1.0, before.height()));
  if (at) {
    const QRectF now = scene_.cards[at->card].rect;
    to = now.topLeft() + QPointF(share.x() * now.width(), share.y() * now.height());
  }
  Q_EMIT scrollRequested((to + QPointF(kShardsMargin, kShardsMargin)) * Zoom::now().factor(),
                         seenAt);
}

void ShardsCanvas::keyPressEvent(QKeyEvent* event) {
  const auto side = sideOf(event->key());
  if (side) {
    return moveBy(*side,
                  (event->modifiers() & Qt::ShiftModifier) != 0 ? Stride::Cards : Stride::Cells);
  }
  event->key() == Qt::Key_Enter ? requestCurrent() : QWidget::keyPressEvent(event);
}

void ShardsCanvas::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) == 0) {
    return QWidget::wheelEvent(event);
  }
  if (event->angleDelta().y() != 0) {
    magnify(event->angleDelta().y() > 0 ? 1 : -1, event->position());
  }
  event->accept();
}

// A click on a card outside its cells selects the first cell.
void ShardsCanvas::mousePressEvent(QMouseEvent* event) {
  if (const auto place = placeAt(event->position())) {
    setCurrent(hasCell(scene_, *place) ? *place : CellPlace{place->card, 0, 0});
  }
}

void ShardsCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto place = placeAt(event->position()); place && hasCell(scene_, *place)) {
    setCurrent(*place);
    requestCurrent();
  }
}

void ShardsCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (!isThere(scene_, current_)) {
    current_ = {};
  }
  updateAccessibleCurrent();
  update();
}

void ShardsCanvas::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

// Reserves the arrow keys, because Left and Right would otherwise step through the recording.
bool ShardsCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const auto others = key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
    if (sideOf(key->key()) && others == 0) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), words(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

// The rectangle of the current cell, where the context menu opens by the menu key.
QVariant ShardsCanvas::inputMethodQuery(Qt::InputMethodQuery query) const {
  const auto cell = currentCell();
  return query == Qt::ImCursorRectangle && cell ? QVariant(cell->toRect())
                                                : QWidget::inputMethodQuery(query);
}

}  // namespace shardlens
