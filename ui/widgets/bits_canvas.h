#pragma once

#include "ui/scenes/buffer_scene.h"

#include <QAbstractScrollArea>

namespace shardlens {

enum class MaskState { InForce, Released };

// Draws the bits of a mask, one line per rank: a filled square is a masked id, an outline an id
// that the rank owns. A released mask is pale. A second mask, which a refused lookup needs, is
// drawn beside it; its bits that differ have a red outline. Scrolls vertically.
class BitsCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit BitsCanvas(QWidget* parent = nullptr);
  // Shows these bits; empty: draws nothing. `refused` is the second mask; empty: none.
  void setBits(std::vector<MaskBits> bits, MaskState state, std::vector<MaskBits> refused = {});
  const std::vector<MaskBits>& refused() const { return refused_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void layOut();
  void drawMask(QPainter& painter, const BitsScene& scene, const QString& heading) const;
  double headHeight() const;

  std::vector<MaskBits> bits_;
  std::vector<MaskBits> refused_;
  MaskState state_ = MaskState::InForce;
  BitsScene scene_;
  BitsScene refusedScene_;
};

}  // namespace shardlens
