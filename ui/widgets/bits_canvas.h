#pragma once

#include "ui/scenes/buffer_scene.h"

#include <QAbstractScrollArea>

namespace shardlens {

enum class MaskState { InForce, Released };

// Draws the bits of a mask, one line per rank: a filled square is a masked id, an outline an id
// that the rank owns. A released mask is pale. Scrolls vertically.
class BitsCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit BitsCanvas(QWidget* parent = nullptr);
  // Shows these bits; empty: draws nothing.
  void setBits(std::vector<MaskBits> bits, MaskState state);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void layOut();

  std::vector<MaskBits> bits_;
  MaskState state_ = MaskState::InForce;
  BitsScene scene_;
};

}  // namespace shardlens
