#pragma once

#include "ui/scenes/buffer_scene.h"

#include <QWidget>

namespace shardlens {

// A mask's bits, a line a rank: filled is masked away, an outline is an id that the rank owns.
class BitsCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit BitsCanvas(QWidget* parent = nullptr);
  void setBits(std::vector<MaskBits> bits);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<MaskBits> bits_;
};

}  // namespace shardlens
