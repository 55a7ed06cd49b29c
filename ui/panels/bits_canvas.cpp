#include "ui/panels/bits_canvas.h"

#include "ui/panels/paint.h"

#include <algorithm>

namespace shardlens {

BitsCanvas::BitsCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("bitsCanvas"));
  setAccessibleName(tr("Mask bits of each rank"));
  setMinimumWidth(100);
}

void BitsCanvas::setBits(std::vector<MaskBits> bits) {
  bits_ = std::move(bits);
  QStringList words;
  for (const MaskBits& rank : bits_) {
    words << tr("rank %1: %2 of %3 masked").arg(rank.rank).arg(rank.masked).arg(rank.bits.size());
  }
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  setToolTip(tr("Filled: masked away, another rank owns the id\nOutline: this rank owns it") +
             u'\n' + words.mid(0, 16).join(u'\n'));
  update();
}

void BitsCanvas::paintEvent(QPaintEvent* /*event*/) {
  if (bits_.empty()) {
    return;
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  constexpr double kLabel = 26;
  std::size_t longest = 1;
  for (const MaskBits& rank : bits_) {
    longest = std::max(longest, rank.bits.size());
  }
  const double pitchX = std::clamp((width() - kLabel) / static_cast<double>(longest), 3.0, 26.0);
  const double pitchY = std::clamp(height() / static_cast<double>(bits_.size()), 7.0, 26.0);
  // Squares where there is room for them.
  const double side = std::min(pitchX, pitchY);
  const double gap = pitchX > 8 && pitchY > 8 ? 4 : 1;
  const double radius = gap > 1 ? 3 : 0;
  for (std::size_t row = 0; row < bits_.size(); ++row) {
    const double y = pitchY * static_cast<double>(row);
    if (pitchY >= 11) {
      drawLine(painter, QRectF(0, y, kLabel - 6, pitchY - gap),
               QStringLiteral("r%1").arg(bits_[row].rank), theme().muted, codeFont(11));
    }
    for (std::size_t i = 0; i < bits_[row].bits.size(); ++i) {
      const QRectF bit(kLabel + pitchX * static_cast<double>(i), y + (pitchY - side) / 2,
                       pitchX - gap, side - gap);
      if (bit.left() > width()) {
        break;
      }
      const bool set = bits_[row].bits[i];
      drawBox(painter, bit, radius, set ? theme().set : theme().card,
              set ? QColor() : theme().muted, 1.2);
    }
  }
}

}  // namespace shardlens
