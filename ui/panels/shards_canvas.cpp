#include "ui/panels/shards_canvas.h"

#include "ui/models/format.h"
#include "ui/panels/paint.h"
#include "ui/scenes/colour.h"

#include <QHelpEvent>
#include <QToolTip>

namespace shardlens {
namespace {

constexpr double kMargin = 12;

void drawCell(QPainter& painter, const ShardCell& cell) {
  const QColor fill = cell.masked ? mixed(cell.fill, theme().card, 0.45) : cell.fill;
  drawBox(painter, cell.rect, cell.rect.height() > 12 ? 2 : 0, fill, QColor());
  if (cell.masked) {
    drawHatch(painter, cell.rect, mixed(theme().onCells, fill, theme().dark() ? 0.30 : 0.52));
  }
  if (cell.text.isEmpty()) {
    return;
  }
  const double width = cell.rect.width();
  const QFont font = codeFont(width < 32 ? 9 : width < 40 ? 10 : width < 56 ? 11 : 12);
  if (cell.masked) {  // a quiet ground, so that the hatch does not cross the digits
    const QRectF text = QFontMetricsF(font).boundingRect(cell.text);
    QRectF ground(0, 0, text.width() + 6, text.height());
    ground.moveCenter(cell.rect.center());
    drawBox(painter, ground, 2, fill, QColor());
  }
  const QColor ink = !cell.masked     ? theme().onCells
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
  const QRectF head = card.rect.adjusted(11, 2, -11, 0);
  const QRectF line(head.left(), head.top(), head.width(), 27);
  const QFont bold = textFont(11, Weight::Bold);
  drawLine(painter, line, card.title, theme().text, bold);
  const double used = QFontMetricsF(bold).horizontalAdvance(card.title) + 8;
  drawLine(painter, line.adjusted(used, 0, 0, 0),
           card.differs ? QStringLiteral("copies differ") : card.note,
           card.differs ? theme().bad : theme().muted, textFont(10),
           Qt::AlignRight | Qt::AlignVCenter);
  for (const RowLabel& label : card.labels) {
    drawLine(painter, label.rect, label.text, label.strong ? theme().text : theme().muted,
             codeFont(11, label.strong ? Weight::Bold : Weight::Normal),
             Qt::AlignRight | Qt::AlignVCenter);
  }
  for (const ShardCell& cell : card.cells) {
    drawCell(painter, cell);
  }
  if (!card.empty.isEmpty()) {
    const QRectF frame = card.rect.adjusted(10, 30, -10, -10);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().faint, 1, Qt::DashLine));
    painter.drawRoundedRect(frame, 4, 4);
    painter.setPen(theme().muted);
    painter.setFont(textFont(11));
    painter.drawText(frame, Qt::AlignCenter | Qt::TextWordWrap, card.empty);
  }
}

}  // namespace

ShardsCanvas::ShardsCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shardsCanvas"));
}

void ShardsCanvas::setTensor(const Journal& journal, const Snapshot& snapshot, TensorId tensor) {
  journal_ = &journal;
  snapshot_ = snapshot;
  view_ = viewTensor(journal, snapshot_, tensor);
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
  const QSizeF inside(room_.width() - 2 * kMargin, room_.height() - 2 * kMargin);
  scene_ = layoutShards(*journal_, snapshot_, view_, inside, dark_);
  setFixedSize(room_.expandedTo((scene_.size + QSizeF(2 * kMargin, 2 * kMargin)).toSize()));
  setAccessibleName(view_.record == nullptr
                        ? tr("No tensor yet")
                        : tr("Shards of %1").arg(toQString(view_.record->name)));
  update();
}

QString ShardsCanvas::words(QPointF place) const {
  place -= QPointF(kMargin, kMargin);
  for (const ShardCard& card : scene_.cards) {
    if (!card.rect.contains(place)) {
      continue;
    }
    const RankPart& part = view_.shown(card.ranks);
    for (const ShardCell& cell : card.cells) {
      if (!cell.rect.contains(place)) {
        continue;
      }
      Shape at = coordinates(part.local, cell.flat);
      const QString local = toQString(toText(at));
      QString global;
      if (part.runs.size() == at.size()) {
        for (std::size_t dim = 0; dim < at.size(); ++dim) {
          at[dim] = globalIndex(part.runs[dim], at[dim]);
        }
        global = tr("\nglobal %1").arg(toQString(toText(at)));
      }
      const QString value = part.hasData()
                                ? QStringLiteral(" = %1").arg(elementAt(
                                      view_.record->dtype, part.value->data->data(), cell.flat))
                                : QString();
      return tr("%1, local %2%3%4%5")
          .arg(card.title, local, value, global,
               cell.masked ? tr("\nmasked: another rank owns it") : QString());
    }
    return card.title + (card.note.isEmpty() ? QString() : QStringLiteral(", ") + card.note);
  }
  return {};
}

void ShardsCanvas::paintEvent(QPaintEvent* /*event*/) {
  if (dark_ != theme().dark()) {
    layOut();
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (scene_.cards.empty()) {
    drawLine(painter, rect(), tr("No tensor yet"), theme().muted, textFont(12), Qt::AlignCenter);
    return;
  }
  painter.translate(kMargin, kMargin);
  for (const ShardCard& card : scene_.cards) {
    drawCard(painter, card);
  }
  for (const TermSign& term : scene_.terms) {
    const double width =
        std::max(20.0, QFontMetricsF(textFont(11)).horizontalAdvance(term.text) + 10);
    const QRectF disc(term.centre.x() - width / 2, term.centre.y() - 10, width, 20);
    drawBox(painter, disc, 10, theme().card, theme().accent, 1.4);
    drawLine(painter, disc, term.text, theme().accent,
             textFont(term.text.size() > 1 ? 9 : 13, Weight::Bold), Qt::AlignCenter);
  }
}

bool ShardsCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), words(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace shardlens
