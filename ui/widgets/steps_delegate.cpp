#include "ui/widgets/steps_delegate.h"

#include "ui/models/steps_model.h"
#include "ui/text/compact.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/tones.h"

#include <QTreeView>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kRowHeight = 24;
constexpr int kIcon = 14;
constexpr int kTitle = kIcon + 7;  // left edge of the title
constexpr int kRowMargin = 8;      // after a title or a note
constexpr int kAfterTime = 10;
constexpr int kWrapped = Qt::AlignLeft | Qt::TextWordWrap;

bool isWhole(const QModelIndex& index) { return index.data(StepsModel::WholeRole).toBool(); }

// Returns as much of an error's text as fits a line; Problems and the tooltip have all of it.
QString errorText(const QModelIndex& index, double width) {
  constexpr int kLongest = 1200;  // messages may have any length
  constexpr int kLines = 1;
  const QString text = index.data().toString().left(kLongest).simplified();
  return textLines(text, QFontMetricsF(textFont(12)), width, kLines).join(u'\n');
}

// Removes the verb that the row's icon shows.
QString withoutVerb(const QString& title) {
  const QString verb = QStringLiteral("redistribute ");
  return title.startsWith(verb) ? title.mid(verb.size()) : title;
}

QFont noteFont(Tone tone) {
  return textFont(11, tone == Tone::Strong ? Weight::Bold : Weight::Normal);
}

// Draws the ribbon of a bookmark at the top of the row.
void drawRibbon(QPainter& painter, QPointF top) {
  constexpr double kWidth = 5, kHeight = 10, kNotch = 2.5;
  const QPolygonF ribbon{top, top + QPointF(kWidth, 0), top + QPointF(kWidth, kHeight),
                         top + QPointF(kWidth / 2, kHeight - kNotch), top + QPointF(0, kHeight)};
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().accent);
  painter.drawPolygon(ribbon);
}

}  // namespace

StepsDelegate::StepsDelegate(QTreeView* view) : QStyledItemDelegate(view), view_(view) {}

QSize StepsDelegate::sizeHint(const QStyleOptionViewItem& /*option*/,
                              const QModelIndex& index) const {
  if (index.column() != StepsModel::Title || !isWhole(index)) {
    return {0, zoomed(kRowHeight)};
  }
  int indent = view_->indentation();
  for (QModelIndex at = index.parent(); at.isValid(); at = at.parent()) {
    indent += view_->indentation();
  }
  const double title = unzoomed(QSizeF(view_->columnWidth(StepsModel::Title) - indent, 0)).width();
  const int width = static_cast<int>(title) - kTitle - kRowMargin;
  const QRect room(0, 0, std::max(width, 60), 1 << 20);
  const QRect text =
      QFontMetrics(textFont(12)).boundingRect(room, kWrapped, errorText(index, room.width()));
  return {0, zoomed(std::max(kRowHeight, text.height() + 10))};
}

void StepsDelegate::paintTitle(QPainter& painter, const QRectF& rect,
                               const QModelIndex& index) const {
  const bool happened = index.data(StepsModel::HappenedRole).toBool();
  const bool current = index.data(StepsModel::CurrentRole).toBool();
  const auto tone = static_cast<Tone>(index.data(StepsModel::ToneRole).toInt());
  const bool loud = tone == Tone::Good || tone == Tone::Warn || tone == Tone::Bad;
  const QColor iconColour = !happened ? theme().faint : loud ? toneColour(tone) : theme().muted;
  const double iconTop = rect.top() + (kRowHeight - kIcon) / 2.0;
  painter.drawPixmap(QPointF(rect.left() + 1, iconTop),
                     tintedIcon(index.data(StepsModel::IconRole).toString(), iconColour, kIcon,
                                painter.device()->devicePixelRatioF() * Zoom::now().factor()));
  if (index.data(StepsModel::BookmarkRole).toBool()) {
    drawRibbon(painter, QPointF(rect.left() + kIcon + 2, rect.top()));
  }
  QRectF room = rect.adjusted(kTitle, 0, -kRowMargin, 0);
  room.setLeft(room.left() + paintDifference(painter, QPointF(room.left(), iconTop), index));
  if (isWhole(index)) {
    painter.setFont(textFont(12));
    painter.setPen(happened ? theme().bad : theme().faint);
    painter.drawText(room.adjusted(0, 4, 0, 0), kWrapped, errorText(index, room.width()));
    return;
  }
  QString title = index.data().toString();
  QString note = index.siblingAtColumn(StepsModel::Note).data().toString();
  const bool strong = index.data(StepsModel::StrongRole).toBool();
  const QFont font = textFont(12, strong || current ? Weight::Bold : Weight::Normal);
  const auto noteWidthOf = [&] {
    return QFontMetricsF(noteFont(tone)).horizontalAdvance(note) + 1;
  };
  const auto widthOf = [&] {
    return QFontMetricsF(font).horizontalAdvance(title) + kRowMargin + noteWidthOf();
  };
  if (widthOf() > room.width()) {
    room.setRight(room.right() + roomOfTime(index));
  }
  if (widthOf() > room.width()) {
    title = compactPlacements(title);
  }
  if (widthOf() > room.width()) {
    title = withoutVerb(title);
    note.remove(QStringLiteral(" sent"));  // the title names the collective
  }
  const bool isCollective =
      index.data(StepsModel::IconRole).toString() == QStringLiteral("collective");
  if (isCollective && widthOf() > room.width()) {
    title = title.section(QStringLiteral(" over "), 0, 0);  // the call matters more than its axis
  }
  const double both = widthOf();
  const bool fits = both <= room.width();
  if (!note.isEmpty() && (fits || tone != Tone::Quiet)) {
    const double noteWidth = std::min(noteWidthOf(), room.width() * 2 / 3);
    const QRectF place(room.right() - noteWidth, room.top(), noteWidth, room.height());
    drawLine(painter, place, note, happened ? toneColour(tone) : theme().faint, noteFont(tone),
             Qt::AlignRight | Qt::AlignVCenter);
    room.setRight(place.left() - kRowMargin);
  }
  drawLine(painter, room, title, happened ? theme().text : theme().faint, font,
           Qt::AlignLeft | Qt::AlignVCenter, {index.data(StepsModel::SharedRole).toInt(), 0});
}

// Returns the width of the time column that a title may use, or 0 if the row has a time.
double StepsDelegate::roomOfTime(const QModelIndex& index) const {
  const bool isFree = !view_->isColumnHidden(StepsModel::Time) &&
                      index.siblingAtColumn(StepsModel::Time).data().toString().isEmpty();
  const QSizeF column(view_->columnWidth(StepsModel::Time), 0);
  return isFree ? unzoomed(column).width() - kAfterTime + kRowMargin : 0;
}

// Draws the mark of a difference, with a box around the first one. Returns its width.
double StepsDelegate::paintDifference(QPainter& painter, QPointF place, const QModelIndex& index) {
  using Difference = StepsModel::Difference;
  const auto difference = static_cast<Difference>(index.data(StepsModel::DiffersRole).toInt());
  if (difference == Difference::None) {
    return 0;
  }
  const QRectF box(place.x() - 2, place.y() - 1, kIcon + 2, kIcon + 2);
  if (difference == Difference::First) {
    drawBox(painter, box, 3, theme().warnSoft, theme().warn);
  }
  painter.drawPixmap(box.topLeft() + QPointF(2, 2),
                     tintedIcon(QStringLiteral("differs"), theme().warn, kIcon - 2,
                                painter.device()->devicePixelRatioF() * Zoom::now().factor()));
  return box.width() + 4;
}

void StepsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  zoom(*painter);
  const QRectF cell = unzoomed(QRectF(option.rect));
  if (index.column() == StepsModel::Title) {
    const double indent = unzoomed(QPointF(view_->indentation(), 0)).x();
    const int depth = index.data(StepsModel::DepthRole).toInt();
    paintTitle(*painter, cell.adjusted(depth * indent, 0, 0, 0), index);
  } else {
    const bool happened = index.data(StepsModel::HappenedRole).toBool();
    drawLine(*painter, cell.adjusted(0, 0, -kAfterTime, 0), index.data().toString(),
             happened ? theme().muted : theme().faint, textFont(11),
             Qt::AlignRight | Qt::AlignVCenter);
  }
  painter->restore();
}

}  // namespace shardlens
