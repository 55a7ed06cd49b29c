#include "ui/widgets/shards_canvas.h"

#include "core/model/spec.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/element_scan.h"
#include "ui/text/format.h"
#include "ui/widgets/accessible_value.h"
#include "ui/widgets/arrow_keys.h"
#include "ui/widgets/motion.h"
#include "ui/widgets/own_action.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/shard_painter.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace shardlens {
namespace {

constexpr double kMargin = 12;
constexpr double kLeft = 22;    // what is said under the cards
constexpr double kBeside = 80;  // so much beside what is seen is laid too

QRectF between(const QRectF& from, const QRectF& to, double share) {
  const auto mix = [share](double a, double b) { return a + (b - a) * share; };
  return {mix(from.x(), to.x()), mix(from.y(), to.y()), mix(from.width(), to.width()),
          mix(from.height(), to.height())};
}

QRectF zoomed(const QRectF& rect) {
  const double factor = Zoom::now().factor();
  return {rect.topLeft() * factor, rect.size() * factor};
}

}  // namespace

ShardsCanvas::ShardsCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shardsCanvas"));
  setFocusPolicy(Qt::StrongFocus);
  addOwnAction(*this, tr("Show in Inspector"), Qt::Key_Return, [this] { askForCurrent(); });
  addOwnAction(*this, tr("Closer"), Qt::Key_Plus, [this] { magnifyByKey(1); });
  addOwnAction(*this, tr("Farther, down to all ranks"), Qt::Key_Minus,
               [this] { magnifyByKey(-1); });
  addOwnAction(*this, tr("Usual size"), Qt::Key_0, [this] { magnifyByKey(0); });
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

// A step that comes before the last one's motion is over ends it, and has none: nobody who holds a
// key waits for what is drawn.
void ShardsCanvas::setTensor(const Journal& journal, const Snapshot& snapshot, TensorView view,
                             const TensorSlice& slice) {
  const bool mayMove = !isStepping() && isVisible() && journal_ == &journal &&
                       Motion::isOn(*this) && view_.record != nullptr && view.record != nullptr &&
                       snapshot_.position != snapshot.position && slice_.shape() == slice.shape() &&
                       isSameData(journal, snapshot_, view_.record->id, snapshot, view.record->id);
  ShardsScene before;
  TensorView viewBefore;
  if (mayMove) {
    scene();  // lays what is seen
    before = std::move(scene_);
    viewBefore = std::move(view_);
  }
  clock_.stop();
  motion_ = {};
  stepped_.start();
  journal_ = &journal;
  snapshot_ = snapshot;
  view_ = std::move(view);
  slice_ = slice;
  makeSource();
  layOut();
  if (mayMove) {
    begin(motionBetween(viewBefore, before, view_, scene()));
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

void ShardsCanvas::makeSource() {
  clock_.stop();
  motion_ = {};
  dark_ = theme().dark();
  source_ = journal_ == nullptr || view_.record == nullptr
                ? nullptr
                : std::make_unique<ShardsSource>(*journal_, snapshot_, view_, slice_, dark_);
}

void ShardsCanvas::setRoom(QSize room) {
  if (room != room_) {
    room_ = room;
    layOut();
  }
}

void ShardsCanvas::layOut() {
  const QSizeF inside = unzoomed(QSizeF(room_)) - QSizeF(2 * kMargin, 2 * kMargin);
  scene_ = source_ ? layoutShards(*source_, inside, magnifier_.factor()) : ShardsScene();
  laid_ = {};
  const double foot = scene_.left.isEmpty() ? 0 : kLeft;
  const QSizeF all = scene_.size + QSizeF(2 * kMargin, 2 * kMargin + foot);
  setFixedSize(
      room_.expandedTo(QSize(shardlens::zoomed(all.width()), shardlens::zoomed(all.height()))));
  setAccessibleName(view_.record == nullptr
                        ? tr("No tensor yet")
                        : tr("Shards of %1").arg(toQString(view_.record->name)));
  tellCurrent();
  update();
}

QRectF ShardsCanvas::seen() const {
  return unzoomed(QRectF(-QPointF(pos()), QSizeF(room_))).translated(-kMargin, -kMargin);
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

// The nearest cell of the card that is there.
std::optional<ShardsCanvas::CellPlace> ShardsCanvas::placeAt(QPointF place) const {
  place = unzoomed(place) - QPointF(kMargin, kMargin);
  for (std::size_t i = 0; i < scene_.cards.size(); ++i) {
    const ShardCard& card = scene_.cards[i];
    if (!card.rect.contains(place)) {
      continue;
    }
    const QPointF inside = place - cellRect(scene_.sizes, card, 0, 0).topLeft();
    return CellPlace{i,
                     static_cast<std::int64_t>(std::floor(inside.y() / scene_.sizes.cell.height())),
                     static_cast<std::int64_t>(std::floor(inside.x() / scene_.sizes.cell.width()))};
  }
  return std::nullopt;
}

QString ShardsCanvas::words(QPointF place) const {
  const auto there = placeAt(place);
  return there ? wordsOf(*there) : QString();
}

QString ShardsCanvas::wordsOf(const CellPlace& place) const {
  const ShardCard& card = scene_.cards[place.card];
  return hasCell(place)
             ? cellWords(card, layoutCell(*source_, scene_.sizes, card, place.row, place.column))
             : cardWords(card);
}

QString ShardsCanvas::cardWords(const ShardCard& card) const {
  const RankPart& part = view_.shown(card.ranks);
  QStringList words{ranksLabel(card.ranks), card.fullNote, card.foot,
                    QString(card.empty).replace(u'\n', u' '), card.paddingText};
  if (part.value != nullptr && elementCount(part.local) > 0) {
    words << figuresWords(part.value->statistics);
  }
  words.removeAll(QString());
  return words.join(u'\n');
}

// What is said of a value is said of the ranks whose values were captured, and of no other.
QString ShardsCanvas::cellWords(const ShardCard& card, const ShardCell& cell) const {
  const RankPart& part = view_.shown(card.ranks);
  std::vector<int> known;
  for (const int rank : card.ranks) {
    if (view_.part(rank)->hasData()) {
      known.push_back(rank);
    }
  }
  const auto text = [](const Shape& at) { return toQString(toText(at)); };
  QStringList lines{tr("%1, local %2")
                        .arg(ranksLabel(known.empty() ? card.ranks : known),
                             text(coordinates(part.local, cell.flat)))};
  if (part.hasData()) {
    lines[0] += QStringLiteral(" = ") + valueText(view_, part, cell.flat);
  }
  if (part.runs.size() == part.local.size()) {
    lines << tr("global %1").arg(text(globalPlace(part, cell.flat)));
  }
  const RankPart* other = card.unlike < 0 ? nullptr : view_.part(card.unlike);
  if (other != nullptr && other->hasData() && other->local == part.local &&
      differsAt(view_, part, *other, cell.flat)) {
    lines << tr("rank %1 has %2 there").arg(card.unlike).arg(valueText(view_, *other, cell.flat));
  }
  if (cell.masked > 0) {
    lines << (cell.masked == 1 ? tr("masked: another rank owns it")
                               : tr("masked in part: another rank owns it"));
  }
  if (!card.paddingText.isEmpty()) {
    lines << card.paddingText;
  }
  if (cell.rows * cell.columns > 1) {
    lines << tr("stands for %1 × %2 elements, this is the first of them")
                 .arg(cell.rows)
                 .arg(cell.columns);
  }
  return lines.join(u'\n');
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
    drawLine(painter, all, tr("No tensor yet"), theme().muted, textFont(12), Qt::AlignCenter);
    return;
  }
  painter.translate(kMargin, kMargin);
  const QRectF exposed = unzoomed(QRectF(event->rect())).translated(-kMargin, -kMargin);
  const ShardPainter cards{painter, shown};
  for (std::size_t i = 0; i < shown.cards.size(); ++i) {
    const ShardCard& card = shown.cards[i];
    if (card.rect.adjusted(-2, -2, 18, 18).intersects(exposed)) {
      cards.drawCard(card, motion_.isEmpty() ? std::vector<bool>() : motion_.moved[i]);
    }
  }
  for (const TermSign& term : shown.terms) {
    cards.drawSign(term);
  }
  for (const CellTravel& travel : motion_.travels) {
    drawBox(painter, between(travel.from, travel.to, clock_.currentValue().toDouble()), 2,
            travel.fill, QColor());
  }
  if (hasFocus() && isThere(current_)) {
    cards.drawCursor(rectOf(current_));
  }
  drawLine(painter, QRectF(0, shown.size.height() + 2, all.width() - 2 * kMargin, 18), shown.left,
           theme().warn, textFont(11, Weight::Bold));
}

bool ShardsCanvas::isThere(const CellPlace& place) const {
  return place.card < scene_.cards.size();
}

bool ShardsCanvas::hasCell(const CellPlace& place) const {
  const ShardCard& card = scene_.cards[place.card];
  return place.row >= 0 && place.column >= 0 && place.row < card.rows &&
         place.column < card.columns;
}

QRectF ShardsCanvas::rectOf(const CellPlace& place) const {
  const ShardCard& card = scene_.cards[place.card];
  return hasCell(place) ? cellRect(scene_.sizes, card, place.row, place.column) : card.rect;
}

std::optional<QRectF> ShardsCanvas::currentCell() const {
  return isThere(current_) ? std::optional(zoomed(rectOf(current_).translated(kMargin, kMargin)))
                           : std::nullopt;
}

std::optional<int> ShardsCanvas::currentRank() const {
  return isThere(current_) ? std::optional(view_.shown(scene_.cards[current_.card].ranks).rank)
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

// The nearest that stands that way, of those in its row or column first.
std::optional<std::size_t> ShardsCanvas::cardBeside(std::size_t card, QPoint side) const {
  const auto& places = scene_.sizes.grid.places;
  const auto [row, column] = places[card];
  std::optional<std::size_t> best;
  std::pair<int, int> least;
  for (std::size_t i = 0; i < scene_.cards.size(); ++i) {
    const int across = places[i].second - column;
    const int down = places[i].first - row;
    const int ahead = across * side.x() + down * side.y();
    const int aside = std::abs(across * side.y()) + std::abs(down * side.x());
    if (ahead > 0 && (!best || std::pair(aside, ahead) < least)) {
      best = i;
      least = {aside, ahead};
    }
  }
  return best;
}

// In a card as far as there are cells, then to the edge of the next card.
void ShardsCanvas::moveBy(QPoint side, bool byCards) {
  if (!isThere(current_)) {
    return setCurrent({});
  }
  CellPlace to{current_.card, current_.row + side.y(), current_.column + side.x()};
  if (!byCards && hasCell(to)) {
    return setCurrent(to);
  }
  const auto card = cardBeside(current_.card, side);
  if (!card) {
    return;
  }
  const ShardCard& next = scene_.cards[*card];
  const auto entered = [byCards](int way, std::int64_t at, std::int64_t count) {
    const std::int64_t last = std::max<std::int64_t>(count - 1, 0);
    return byCards || way == 0 ? std::clamp<std::int64_t>(at, 0, last) : way > 0 ? 0 : last;
  };
  setCurrent({*card, entered(side.y(), current_.row, next.rows),
              entered(side.x(), current_.column, next.columns)});
}

void ShardsCanvas::setCurrent(const CellPlace& place) {
  current_ = place;
  tellCurrent();
  update();
  Q_EMIT currentMoved();
}

// As a screen reader says it: where it is, and its value with what else there is to say.
void ShardsCanvas::tellCurrent() {
  const QString all = isThere(current_) && source_ ? wordsOf(current_) : QString();
  const QString first = all.section(u'\n', 0, 0);
  const QString rest = all.section(u'\n', 1);
  const QString value = first.section(QStringLiteral(" = "), 1);
  setAccessibleCurrent(*this, value.isEmpty() ? first : all, value.isEmpty() ? rest : value);
}

void ShardsCanvas::askForCurrent() {
  if (isThere(current_) && hasCell(current_)) {
    const ShardCard& card = scene_.cards[current_.card];
    const RankPart& part = view_.shown(card.ranks);
    const auto flat = layoutCell(*source_, scene_.sizes, card, current_.row, current_.column).flat;
    Q_EMIT cellWanted(part.rank, coordinates(part.local, flat));
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
  const QPointF inside = unzoomed(place) - QPointF(kMargin, kMargin);
  const QRectF card = at ? scene_.cards[at->card].rect : QRectF();
  const QPointF share((inside.x() - card.x()) / std::max(1.0, card.width()),
                      (inside.y() - card.y()) / std::max(1.0, card.height()));
  if (!source_ || !magnifier_.zoom(steps, scene_.sizes.most)) {
    return;
  }
  // A cell that is not there any more: the nearest.
  layOut();
  if (isThere(current_)) {
    const ShardCard& now = scene_.cards[current_.card];
    current_.row =
        std::clamp<std::int64_t>(current_.row, 0, std::max<std::int64_t>(0, now.rows - 1));
    current_.column =
        std::clamp<std::int64_t>(current_.column, 0, std::max<std::int64_t>(0, now.columns - 1));
  }
  QPointF to(inside.x() * scene_.size.width() / std::max(1.0, before.width()),
             inside.y() * scene_.size.height() / std::max(1.0, before.height()));
  if (at) {
    const QRectF now = scene_.cards[at->card].rect;
    to = now.topLeft() + QPointF(share.x() * now.width(), share.y() * now.height());
  }
  Q_EMIT scrollWanted((to + QPointF(kMargin, kMargin)) * Zoom::now().factor(), seenAt);
}

void ShardsCanvas::keyPressEvent(QKeyEvent* event) {
  const auto side = sideOf(event->key());
  if (side) {
    return moveBy(*side, (event->modifiers() & Qt::ShiftModifier) != 0);
  }
  event->key() == Qt::Key_Enter ? askForCurrent() : QWidget::keyPressEvent(event);
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

// On a card beside its cells: its first one.
void ShardsCanvas::mousePressEvent(QMouseEvent* event) {
  if (const auto place = placeAt(event->position())) {
    setCurrent(hasCell(*place) ? *place : CellPlace{place->card, 0, 0});
  }
}

void ShardsCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto place = placeAt(event->position()); place && hasCell(*place)) {
    setCurrent(*place);
    askForCurrent();
  }
}

void ShardsCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (!isThere(current_)) {
    current_ = {};
  }
  tellCurrent();
  update();
}

void ShardsCanvas::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

// Left and Right would step through the recording.
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

// Where the menu opens by the key.
QVariant ShardsCanvas::inputMethodQuery(Qt::InputMethodQuery query) const {
  const auto cell = currentCell();
  return query == Qt::ImCursorRectangle && cell ? QVariant(cell->toRect())
                                                : QWidget::inputMethodQuery(query);
}

}  // namespace shardlens
