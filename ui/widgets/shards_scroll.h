#pragma once

#include <QScrollArea>

namespace shardlens {

class ShardsCanvas;

// A scroll area with the shards of a tensor, which fill it as far as they fit. It scrolls to the
// keyboard cursor, and keeps the place under the pointer when the shards are magnified.
class ShardsScroll final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ShardsScroll(QWidget* parent = nullptr);
  ShardsCanvas& canvas() const { return *canvas_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void scrollTo(QPointF place, QPointF seenAt);

  ShardsCanvas* canvas_;
};

}  // namespace shardlens
