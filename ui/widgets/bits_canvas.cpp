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
constexpr double kBitsHead = 16;  // height of the headings of two masks
constexpr double kBetween = 18;   // between two masks

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

void BitsCanvas::setBits(std::vector<MaskBits> bits, MaskState state,
                         std::vector<MaskBits> refused) {
  bits_ = std::move(bits);
  refused_ = std::move(refused);
  state_ = state;
  QStringList words;
  for (const MaskBits& rank : bits_) {
    words << tr("rank %1: %2 of %3 masked").arg(rank.rank).arg(rank.masked).arg(rank.bits.size());
  }
  QStringList needed;
  for (const MaskBits& rank : refused_) {
    needed << tr("rank %1: %2 of %3").arg(rank.rank).arg(rank.masked).arg(rank.bits.size());
  }
  const QString all = words.join(QStringLiteral("; "));
  setAccessibleDescription(
      needed.isEmpty()
          ? all
          : tr("%1; the refused lookup needs %2").arg(all, needed.join(QStringLiteral("; "))));
  setToolTip((state == MaskState::Released ? tr("Released: masks no ids now\n") : QString()) +
             tr("Filled: masked, another rank owns the id\nOutline: this rank owns the id") +
             u'\n' + words.mid(0, 16).join(u'\n'));
  layOut();
}

void BitsCanvas::resizeEvent(QResizeEvent* /*event*/) { layOut(); }

double BitsCanvas::headHeight() const { return refused_.empty() ? 0 : kBitsHead; }

void BitsCanvas::layOut() {
  const QSizeF seen = unzoomed(QSizeF(viewport()->size()));
  QSizeF room = seen - QSizeF(0, headHeight());
  if (!refused_.empty()) {
    room.setWidth((seen.width() - kBetween) / 2);
  }
  scene_ = layoutBits(bits_, room);
  if (scene_.each > 1) {
    room.rheight() -= kBitsFoot;
    scene_ = layoutBits(bits_, room);
  }
  refusedScene_ = layoutBits(refused_, room);
  const double all = scene_.size.height() + headHeight() + (scene_.each > 1 ? kBitsFoot : 0);
  verticalScrollBar()->setRange(
      0, std::max(0, static_cast<int>(std::ceil(all - seen.height() - 0.01))));
  verticalScrollBar()->setPageStep(static_cast<int>(seen.height()));
  verticalScrollBar()->setSingleStep(13);
  viewport()->update();
}

void BitsCanvas::drawMask(QPainter& painter, const BitsScene& scene, const QString& heading) const {
  drawLine(painter, QRectF(0, 0, std::max(scene.size.width(), 60.0), kBitsHead), heading,
           theme().muted, textFont(10));
  painter.translate(0, headHeight());
  for (const auto& [rect, text] : scene.labels) {
    drawLine(painter, rect, text, theme().muted, codeFont(11));
  }
  const bool released = state_ == MaskState::Released;
  const QColor set = released ? mixed(theme().set, theme().card, 0.82) : theme().set;
  const QColor outline = released ? theme().border : theme().muted;
  const bool isSecond = &scene == &refusedScene_;
  for (std::size_t i = 0; i < scene.squares.size(); ++i) {
    const BitSquare& bit = scene.squares[i];
    const double radius = bit.rect.width() > 6 ? 3 : 0;
    if (bit.masked < 1) {
      drawBox(painter, bit.rect, radius, theme().card, outline, scene.each > 1 ? 0.6 : 1.2);
    }
    QRectF filled = bit.rect;
    filled.setTop(filled.bottom() - filled.height() * bit.masked);
    if (bit.masked > 0) {
      drawBox(painter, filled, radius, set, QColor());
    }
    const bool differs =
        isSecond && (i >= scene_.squares.size() || scene_.squares[i].masked != bit.masked);
    if (differs) {
      drawBox(painter, bit.rect.adjusted(-2, -2, 2, 2), radius, QColor(), theme().bad, 2);
    }
  }
}

void BitsCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  zoom(painter);
  const double width = unzoomed(QSizeF(viewport()->size())).width();
  painter.translate(0, -verticalScrollBar()->value());
  painter.save();
  drawMask(painter, scene_, refused_.empty() ? QString() : tr("held"));
  painter.restore();
  if (!refused_.empty()) {
    painter.save();
    painter.translate((width + kBetween) / 2, 0);
    drawMask(painter, refusedScene_, tr("needed"));
    painter.restore();
  }
  if (scene_.each > 1) {
    drawLine(painter, QRectF(0, headHeight() + scene_.size.height(), width, kBitsFoot),
             tr("one square = %1 ids").arg(scene_.each), theme().muted, textFont(10));
  }
}

}  // namespace shardlens
