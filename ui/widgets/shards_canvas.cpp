#include "ui/widgets/shards_canvas.h"

#include "core/model/spec.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/cell_text.h"
#include "ui/scenes/colour.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QAction>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

constexpr double kMargin = 12;
constexpr double kLeft = 22;  // what is said under the cards

void drawCell(QPainter& painter, const ShardCell& cell) {
  const bool masked = cell.masked == 1;
  const QColor fill = masked ? mixed(cell.fill, theme().card, 0.45) : cell.fill;
  drawBox(painter, cell.rect, cell.rect.height() > 12 ? 2 : 0, fill, QColor());
  if (cell.masked > 0) {  // of several rows that it stands for, as large a part as is masked
    const double width = cell.rect.width() * cell.masked;
    drawHatch(painter, cell.rect.adjusted(cell.rect.width() - width, 0, 0, 0),
              mixed(theme().onCells, fill, theme().dark() ? 0.30 : 0.52));
  }
  if (cell.differs || cell.odd) {
    drawBox(painter, cell.rect.adjusted(-1, -1, 1, 1), 2, QColor(), theme().bad, 2);
  }
  if (cell.text.isEmpty()) {
    return;
  }
  const double width = cell.rect.width();
  const QFont font = cellFont(width);
  if (masked) {  // a quiet ground, so that the hatch does not cross the digits
    const QRectF text = QFontMetricsF(font).boundingRect(cell.text);
    QRectF ground(0, 0, text.width() + 6, text.height());
    ground.moveCenter(cell.rect.center());
    drawBox(painter, ground, 2, fill, QColor());
  }
  const QColor ink = !masked          ? theme().onCells
                     : theme().dark() ? mixed(theme().text, fill, 0.25)
                                      : mixed(theme().onCells, fill, 0.25);
  drawLine(painter, cell.rect, cell.text, ink, font, Qt::AlignCenter);
}

void drawCard(QPainter& painter, const ShardCard& card) {
  for (auto sheet = card.sheets.rbegin(); sheet != card.sheets.rend(); ++sheet) {
    drawBox(painter, *sheet, 5, theme().card, theme().border);
  }
  const bool loud = card.changed || card.differs;
  drawBox(painter, card.rect, 5, theme().inset,
          card.differs   ? theme().bad
          : card.changed ? theme().rank
                         : theme().border,
          loud ? 1.6 : 1);
  drawLine(painter, card.titleRect, card.title, card.differs ? theme().bad : theme().text,
           textFont(card.compact ? 10 : 11, Weight::Bold));
  drawLine(painter, card.noteRect, card.note, card.differs ? theme().bad : theme().muted,
           textFont(10),
           (card.noteRect.top() > card.titleRect.top() ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  for (const RowLabel& label : card.labels) {
    drawLine(painter, label.rect, label.text, label.strong ? theme().text : theme().muted,
             codeFont(11, label.strong ? Weight::Bold : Weight::Normal),
             Qt::AlignRight | Qt::AlignVCenter);
  }
  for (const ShardCell& cell : card.cells) {
    drawCell(painter, cell);
  }
  drawLine(painter, card.footRect, card.foot, theme().muted, textFont(10));
  if (!card.empty.isEmpty()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().faint, 1, Qt::DashLine));
    painter.drawRoundedRect(card.body, 4, 4);
    painter.setPen(theme().muted);
    painter.setFont(textFont(card.compact ? 9 : 11));
    painter.save();
    painter.setClipRect(card.body);
    painter.drawText(card.body, Qt::AlignCenter | Qt::TextWordWrap, card.empty);
    painter.restore();
  }
}

}  // namespace

ShardsCanvas::ShardsCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shardsCanvas"));
  setFocusPolicy(Qt::StrongFocus);
  auto* inspect = new QAction(tr("Show in Inspector"), this);
  inspect->setShortcut(Qt::Key_Return);
  inspect->setShortcutContext(Qt::WidgetShortcut);
  connect(inspect, &QAction::triggered, this, &ShardsCanvas::askForCurrent);
  addAction(inspect);
  connect(&Zoom::now(), &Zoom::changed, this, &ShardsCanvas::layOut);
}

void ShardsCanvas::setTensor(const Journal& journal, const Snapshot& snapshot, TensorView view) {
  journal_ = &journal;
  snapshot_ = snapshot;
  view_ = std::move(view);
  layOut();
}

void ShardsCanvas::setRoom(QSize room) {
  if (room != room_) {
    room_ = room;
    layOut();
  }
}

void ShardsCanvas::layOut() {
  if (journal_ == nullptr) {
    return;
  }
  dark_ = theme().dark();
  const QSizeF inside = unzoomed(QSizeF(room_)) - QSizeF(2 * kMargin, 2 * kMargin);
  scene_ = layoutShards(*journal_, snapshot_, view_, inside, dark_);
  const double foot = scene_.left.isEmpty() ? 0 : kLeft;
  const QSizeF all = scene_.size + QSizeF(2 * kMargin, 2 * kMargin + foot);
  setFixedSize(room_.expandedTo(QSize(zoomed(all.width()), zoomed(all.height()))));
  setAccessibleName(view_.record == nullptr
                        ? tr("No tensor yet")
                        : tr("Shards of %1").arg(toQString(view_.record->name)));
  update();
}

const ShardCard* ShardsCanvas::cardAt(QPointF place) const {
  const auto found =
      std::find_if(scene_.cards.begin(), scene_.cards.end(), [&](const ShardCard& card) {
        return card.rect.contains(unzoomed(place) - QPointF(kMargin, kMargin));
      });
  return found == scene_.cards.end() ? nullptr : &*found;
}

QString ShardsCanvas::words(QPointF place) const {
  place = unzoomed(place) - QPointF(kMargin, kMargin);
  for (const ShardCard& card : scene_.cards) {
    if (!card.rect.contains(place)) {
      continue;
    }
    for (const ShardCell& cell : card.cells) {
      if (cell.rect.contains(place)) {
        return cellWords(card, cell);
      }
    }
    QStringList words{ranksLabel(card.ranks), card.fullNote, card.foot,
                      emptyText(*journal_, view_, view_.shown(card.ranks)).replace(u'\n', u' ')};
    words.removeAll(QString());
    return words.join(u'\n');
  }
  return {};
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
  if (cell.rows * cell.columns > 1) {
    lines << tr("stands for %1 × %2 elements, this is the first of them")
                 .arg(cell.rows)
                 .arg(cell.columns);
  }
  return lines.join(u'\n');
}

void ShardsCanvas::paintEvent(QPaintEvent* event) {
  if (dark_ != theme().dark()) {
    layOut();
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  zoom(painter);
  const QRectF all = unzoomed(QRectF(rect()));
  if (scene_.cards.empty()) {
    drawLine(painter, all, tr("No tensor yet"), theme().muted, textFont(12), Qt::AlignCenter);
    return;
  }
  painter.translate(kMargin, kMargin);
  const QRectF exposed = unzoomed(QRectF(event->rect())).translated(-kMargin, -kMargin);
  for (const ShardCard& card : scene_.cards) {
    if (card.rect.adjusted(-2, -2, 18, 18).intersects(exposed)) {
      drawCard(painter, card);
    }
  }
  if (hasFocus() && isThere(current_)) {
    const QRectF cell = cellOf(current_).rect;
    drawBox(painter, cell.adjusted(-2, -2, 2, 2), 3, QColor(), theme().card, 4);
    drawBox(painter, cell.adjusted(-2, -2, 2, 2), 3, QColor(), theme().accent, 2);
  }
  drawLine(painter, QRectF(0, scene_.size.height() + 2, all.width() - 2 * kMargin, 18), scene_.left,
           theme().warn, textFont(11, Weight::Bold));
  for (const TermSign& term : scene_.terms) {
    const double width =
        std::max(20.0, QFontMetricsF(textFont(11)).horizontalAdvance(term.text) + 10);
    const QRectF disc(term.centre.x() - width / 2, term.centre.y() - 10, width, 20);
    drawBox(painter, disc, 10, theme().card, theme().accent, 1.4);
    drawLine(painter, disc, term.text, theme().accent,
             textFont(term.text.size() > 1 ? 9 : 13, Weight::Bold), Qt::AlignCenter);
  }
}

bool ShardsCanvas::isThere(const CellPlace& place) const {
  return place.card < scene_.cards.size() && place.cell < scene_.cards[place.card].cells.size();
}

const ShardCell& ShardsCanvas::cellOf(const CellPlace& place) const {
  return scene_.cards[place.card].cells[place.cell];
}

std::optional<QRectF> ShardsCanvas::currentCell() const {
  if (!isThere(current_)) {
    return std::nullopt;
  }
  const QRectF cell = cellOf(current_).rect.translated(kMargin, kMargin);
  const double zoom = Zoom::now().factor();
  return QRectF(cell.topLeft() * zoom, cell.size() * zoom);
}

std::optional<ShardsCanvas::CellPlace> ShardsCanvas::cellAt(QPointF place) const {
  place = unzoomed(place) - QPointF(kMargin, kMargin);
  for (std::size_t card = 0; card < scene_.cards.size(); ++card) {
    const auto& cells = scene_.cards[card].cells;
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const ShardCell& cell) {
      return cell.rect.contains(place);
    });
    if (found != cells.end()) {
      return CellPlace{card, static_cast<std::size_t>(found - cells.begin())};
    }
  }
  return std::nullopt;
}

// To the nearest cell that lies that way; one that lies aside is as if farther away.
void ShardsCanvas::moveBy(QPointF direction) {
  constexpr double kAside = 3;
  if (!isThere(current_)) {
    return setCurrent({});
  }
  const QPointF from = cellOf(current_).rect.center();
  std::optional<CellPlace> best;
  double least = 0;
  for (CellPlace place; place.card < scene_.cards.size(); ++place.card) {
    for (place.cell = 0; place.cell < scene_.cards[place.card].cells.size(); ++place.cell) {
      const QPointF way = cellOf(place).rect.center() - from;
      const double ahead = QPointF::dotProduct(way, direction);
      const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
      const double far = ahead + kAside * aside;
      if (ahead > 0.5 && (!best || far < least)) {
        best = place;
        least = far;
      }
    }
  }
  if (best) {
    setCurrent(*best);
  }
}

void ShardsCanvas::setCurrent(const CellPlace& place) {
  current_ = place;
  if (const auto cell = currentCell()) {
    setAccessibleDescription(words(cell->center()));
  }
  update();
  Q_EMIT currentMoved();
}

void ShardsCanvas::askForCurrent() {
  if (isThere(current_)) {
    const RankPart& part = view_.shown(scene_.cards[current_.card].ranks);
    Q_EMIT cellWanted(part.rank, coordinates(part.local, cellOf(current_).flat));
  }
}

void ShardsCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return moveBy({-1, 0});
    case Qt::Key_Right:
      return moveBy({1, 0});
    case Qt::Key_Up:
      return moveBy({0, -1});
    case Qt::Key_Down:
      return moveBy({0, 1});
    case Qt::Key_Enter:
      return askForCurrent();
    default:
      QWidget::keyPressEvent(event);
  }
}

void ShardsCanvas::mousePressEvent(QMouseEvent* event) {
  if (const auto place = cellAt(event->position())) {
    setCurrent(*place);
  }
}

void ShardsCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto place = cellAt(event->position())) {
    setCurrent(*place);
    askForCurrent();
  }
}

void ShardsCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (!isThere(current_)) {
    current_ = {};
  }
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
    if (key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down &&
        key->modifiers() == Qt::NoModifier) {
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

}  // namespace shardlens
