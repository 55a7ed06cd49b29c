#pragma once

#include "ui/scenes/buffer_scene.h"

#include <QAbstractScrollArea>

namespace shardlens {

enum class MaskState { InForce, Released };

// A mask's bits, a line a rank: filled is masked away, an outline is an id that the rank owns. What
// was released is pale.
class BitsCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit BitsCanvas(QWidget* parent = nullptr);
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
