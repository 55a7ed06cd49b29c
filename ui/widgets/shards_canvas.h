#pragma once

#include "ui/scenes/shards_scene.h"

#include <QWidget>
#include <optional>

namespace shardlens {

// Draws the shards of one tensor into the room it is given. The scene is laid out anew when the
// room changes; what it was laid out from must be set again, or cleared, before it goes away.
// Arrows go from cell to cell; Return or a double click asks for one.
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
  const ShardCard* cardAt(QPointF place) const;  // null: none is there
  // The cell that the keyboard is at; none where there is none.
  std::optional<QRectF> currentCell() const;

 Q_SIGNALS:
  // The element that it shows, or the first of those.
  void cellWanted(int rank, const shardlens::Shape& local);
  void currentMoved();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct CellPlace {
    std::size_t card = 0;
    std::size_t cell = 0;
  };

  void layOut();
  bool isThere(const CellPlace& place) const;
  const ShardCell& cellOf(const CellPlace& place) const;
  std::optional<CellPlace> cellAt(QPointF place) const;
  void moveBy(QPointF direction);
  void setCurrent(const CellPlace& place);
  void askForCurrent();
  QString cellWords(const ShardCard& card, const ShardCell& cell) const;

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorView view_;
  ShardsScene scene_;
  QSize room_;
  CellPlace current_;
  bool dark_ = false;
};

}  // namespace shardlens
