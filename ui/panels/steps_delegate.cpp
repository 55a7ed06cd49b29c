#include "ui/panels/steps_delegate.h"

#include "ui/models/steps_model.h"
#include "ui/panels/icons.h"
#include "ui/panels/paint.h"
#include "ui/panels/tones.h"

namespace shardlens {
namespace {

constexpr int kRow = 24;
constexpr int kIcon = 14;

}  // namespace

QSize StepsDelegate::sizeHint(const QStyleOptionViewItem& /*option*/,
                              const QModelIndex& index) const {
  const QFont font = textFont(index.column() == StepsModel::Title ? 12 : 11, Weight::Bold);
  const int width = QFontMetrics(font).horizontalAdvance(index.data().toString());
  return {width + 16, kRow};
}

void StepsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  const bool current = index.data(StepsModel::CurrentRole).toBool();
  const bool happened = index.data(StepsModel::HappenedRole).toBool();
  const bool top = !index.parent().isValid();
  const auto tone = static_cast<Tone>(index.data(StepsModel::ToneRole).toInt());
  const QColor toned = toneColour(tone);
  QRectF rect(option.rect);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (index.column() == StepsModel::Title) {
    const QString icon = index.data(StepsModel::IconRole).toString();
    const bool loud = tone == Tone::Good || tone == Tone::Warn || tone == Tone::Bad;
    const QColor colour = !happened ? theme().faint : loud ? toned : theme().muted;
    painter->drawPixmap(QPointF(rect.left() + 1, rect.center().y() - kIcon / 2.0),
                        tintedIcon(icon, colour, kIcon, painter->device()->devicePixelRatioF()));
    drawLine(*painter, rect.adjusted(kIcon + 7, 0, -4, 0), index.data().toString(),
             happened ? theme().text : theme().faint,
             textFont(12, top || current ? Weight::Bold : Weight::Normal));
  } else {
    const bool note = index.column() == StepsModel::Note;
    const bool strong = note && tone == Tone::Strong;
    const QColor colour = !happened ? theme().faint : note ? toned : theme().muted;
    drawLine(*painter, rect.adjusted(0, 0, note ? -8 : -12, 0), index.data().toString(), colour,
             textFont(11, strong ? Weight::Bold : Weight::Normal),
             Qt::AlignRight | Qt::AlignVCenter);
  }
  painter->restore();
}

}  // namespace shardlens
