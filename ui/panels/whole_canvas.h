#pragma once

#include "ui/scenes/whole_scene.h"

#include <QWidget>

namespace shardlens {

// Draws the reassembled tensor in a strip, with what its parts say of one another.
class WholeCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit WholeCanvas(QWidget* parent = nullptr);
  void setTensor(const Journal& journal, const Snapshot& snapshot, TensorId tensor);

  QString heading() const;  // "Reassembled after the reduction"
  QString verdict() const;  // "all 4 copies agree"
  const Assembled& whole() const { return whole_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorView view_;
  Assembled whole_;
};

}  // namespace shardlens
