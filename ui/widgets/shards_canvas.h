#pragma once

#include "ui/scenes/shards_scene.h"

#include <QWidget>

namespace shardlens {

// Draws the shards of one tensor into the room it is given. The scene is laid out anew when the
// room changes; what it was laid out from must be set again, or cleared, before it goes away.
class ShardsCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit ShardsCanvas(QWidget* parent = nullptr);

  void setTensor(const Journal& journal, const Snapshot& snapshot, TensorView view);
  // The room to fit the scene into; the canvas grows beyond it when it cannot.
  void setRoom(QSize room);
  const ShardsScene& scene() const { return scene_; }
  const TensorView& view() const { return view_; }
  // What a place of the canvas shows, in words; empty beside the cells.
  QString words(QPointF place) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void layOut();
  QString cellWords(const ShardCard& card, const ShardCell& cell) const;

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorView view_;
  ShardsScene scene_;
  QSize room_;
  bool dark_ = false;
};

}  // namespace shardlens
