#pragma once

#include "ui/scenes/cell_place.h"
#include "ui/scenes/shard_motion.h"

#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>

namespace shardlens {

// Draws a slice of the shards of one tensor into the room it is given. The scene is laid out anew
// when the room changes, and of its cells those that are seen; what it was laid out from must be
// set again, or cleared, before it goes away. Arrows go from cell to cell and on to the next rank,
// with Shift from rank to rank; Plus, Minus and 0 magnify; Return or a double click asks for a
// cell.
class ShardsCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit ShardsCanvas(QWidget* parent = nullptr);

  void setTensor(const Journal& journal, const Snapshot& snapshot, TensorView view,
                 const TensorSlice& slice);
  void setSlice(const TensorSlice& slice);
  // The room to fit the scene into; the canvas grows beyond it when it cannot.
  void setRoom(QSize room);
  // With the cells that are seen.
  const ShardsScene& scene() const;
  const TensorView& view() const { return view_; }

  // What a place of the canvas shows, in words; empty beside the cards.
  QString words(QPointF place) const;
  const ShardCard* cardAt(QPointF place) const;  // null: none is there
  // The cell that the keyboard is at, or the card without any; none where there is none.
  std::optional<QRectF> currentCell() const;
  // Of its values; none before somebody went to one.
  std::optional<int> currentRank() const;
  // Goes to the shard of a rank; false: none is drawn.
  bool goToRank(int rank);

  // See Magnifier. What stands at a place of the canvas stays where it is seen.
  void magnify(int steps, QPointF place);
  double magnified() const { return magnifier_.factor(); }
  bool isMoving() const { return clock_.state() == QAbstractAnimation::Running; }
  // The last step came so short ago that the next one is shown without a motion.
  bool isStepping() const { return stepped_.isActive(); }
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  // The element that it shows, or the first of those.
  void cellWanted(int rank, const shardlens::Shape& local);
  void currentMoved();
  // This place of the canvas is to be seen at that one of the room.
  void scrollWanted(QPointF place, QPointF seenAt);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void makeSource();
  void layOut();
  void begin(const ShardMotion& motion);
  QRectF seen() const;
  std::optional<CellPlace> placeAt(QPointF place) const;
  void moveBy(QPoint side, Stride stride);
  void setCurrent(const CellPlace& place);
  void tellCurrent();
  void askForCurrent();
  void magnifyByKey(int steps);
  QString wordsOf(const CellPlace& place) const;

  const Journal* journal_ = nullptr;
  QString none_;  // what is said where no tensor is
  Snapshot snapshot_;
  TensorView view_;
  TensorSlice slice_;
  std::unique_ptr<ShardsSource> source_;  // of these
  mutable ShardsScene scene_;
  mutable QRectF laid_;  // where its cells have been
  QSize room_;
  Magnifier magnifier_;
  CellPlace current_;
  bool dark_ = false;
  ShardMotion motion_;
  QVariantAnimation clock_;  // of it
  QTimer stepped_;
};

}  // namespace shardlens
