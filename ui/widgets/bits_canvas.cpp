#include "ui/widgets/bits_canvas.h"

#include "ui/scenes/colour.h"
#include "ui/widgets/paint.h"

#include <QScrollBar>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kBitsFoot = 16;  // height of the line that states how many ids a square stands for

}  // namespace

BitsCanvas::BitsCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("bitsCanvas"));
  setAccessibleName(tr("Mask bits of each rank"));
  setMinimumWidth(100);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  connect(&Zoom::now(), &Zoom::changed, this, &BitsCanvas::layOut);
}

void BitsCanvas::setBits(std::vector<MaskBits> bits, MaskState state) {
  bits_ = std::move(bits);
  state_ = state;
  QStringList words;
  for (const MaskBits& rank : bits_) {
    words << tr("rank %1: %2 of %3 masked").arg(rank.rank).arg(rank.masked).arg(rank.bits.size());
  }
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  setToolTip((state == MaskState::Released ? tr("Released: masks no ids now\n") : QString()) +
             tr("Filled: masked, another rank owns the id\nOutline: this rank owns the id") +
             u'\n' + words.mid(0, 16).join(u'\n'));
  layOut();
}

void BitsCanvas::resizeEvent(QResizeEvent* /*event*/) { layOut(); }

void BitsCanvas::layOut() {
  const QSizeF seen = unzoomed(QSizeF(viewport()->size()));
  scene_ = layoutBits(bits_, seen);
  if (scene_.each > 1) {
    scene_ = layoutBits(bits_, seen - QSizeF(0, kBitsFoot));
  }
  const double all = scene_.size.height() + (scene_.each > 1 ? kBitsFoot : 0);
  verticalScrollBar()->setRange(
      0, std::max(0, static_cast<int>(std::ceil(all - seen.height() - 0.01))));
  verticalScrollBar()->setPageStep(static_cast<int>(seen.height()));
  verticalScrollBar()->setSingleStep(13);
  viewport()->update();
}

void BitsCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  zoom(painter);
  painter.translate(0, -verticalScrollBar()->value());
  for (const auto& [rect, text] : scene_.labels) {
    drawLine(painter, rect, text, theme().muted, codeFont(11));
  }
  const bool released = state_ == MaskState::Released;
  const QColor set = released ? mixed(theme().set, theme().card, 0.82) : theme().set;
  const QColor outline = released ? theme().border : theme().muted;
  for (const BitSquare& bit : scene_.squares) {
    const double radius = bit.rect.width() > 6 ? 3 : 0;
    if (bit.masked < 1) {
      drawBox(painter, bit.rect, radius, theme().card, outline, scene_.each > 1 ? 0.6 : 1.2);
    }
    QRectF filled = bit.rect;
    filled.setTop(filled.bottom() - filled.height() * bit.masked);
    if (bit.masked > 0) {
      drawBox(painter, filled, radius, set, QColor());
    }
  }
  if (scene_.each > 1) {
    drawLine(
        painter,
        QRectF(0, scene_.size.height(), unzoomed(QSizeF(viewport()->size())).width(), kBitsFoot),
        tr("one square = %1 ids").arg(scene_.each), theme().muted, textFont(10));
  }
}

}  // namespace shardlens
