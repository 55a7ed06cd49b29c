#pragma once

#include "ui/scenes/cell_place.h"
#include "ui/scenes/shard_motion.h"

#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>

namespace shardlens {

// Draws a slice of the shards of one tensor. The scene is laid out when the room changes; only
// visible cells are laid out. Arrows move from cell to cell and on to the next rank, with Shift
// from rank to rank. Plus, Minus and 0 magnify. Return or a double click emits cellRequested.
class ShardsCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit ShardsCanvas(QWidget* parent = nullptr);

  // Shows a tensor; the step from the previous view of the same tensor may be animated. `view` must
  // not be null. The journal must live until another tensor, or a view without one, is set.
  void setTensor(const Journal& journal, const Snapshot& snapshot,
                 std::shared_ptr<const TensorView> view, const TensorSlice& slice);
  void setSlice(const TensorSlice& slice);  // not animated; ends a running animation
  // True: the cells of small shards have room for numbers, and the canvas scrolls if they do not
  // fit. Ends a running animation.
  void setAlwaysNumbers(bool always);
  // Sets the visible size. The scene is fitted into it; if it does not fit, the canvas is larger
  // and the parent scrolls it.
  void setRoom(QSize room);
  // Returns the scene with its visible cells.
  const ShardsScene& scene() const;
  const TensorView& view() const { return *view_; }

  // Describes the cell or card at a point of the canvas. Empty if there is none.
  QString words(QPointF place) const;
  const ShardCard* cardAt(QPointF place) const;  // null if there is none
  // Returns the rectangle of the cell at the keyboard cursor, or of a card without cells; nullopt
  // if there are no cards.
  std::optional<QRectF> currentCell() const;
  // Returns the rank whose values the current card shows, or nullopt if there are no cards.
  std::optional<int> currentRank() const;
  // Moves to the first cell of a rank's card. Returns false and does nothing if the rank has no
  // card.
  bool goToRank(int rank);

  // Magnifies (see Magnifier::zoom()) so that the content at `place` stays in place, and emits
  // scrollRequested. Does nothing without a tensor or if the factor does not change.
  void magnify(int steps, QPointF place);
  double magnified() const { return magnifier_.factor(); }
  bool isMoving() const { return clock_.state() == QAbstractAnimation::Running; }
  // Returns true shortly after setTensor(), when another step is shown without animation.
  bool isStepping() const { return stepped_.isActive(); }
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  // `local` is the index in the shard of the cell's first element.
  void cellRequested(int rank, const shardlens::Shape& local);
  void currentMoved();  // the keyboard cursor was set, even to the same cell
  // Requests that the canvas be scrolled so that `place` appears at `seenAt` in the room.
  void scrollRequested(QPointF place, QPointF seenAt);

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
  void updateAccessibleCurrent();
  void requestCurrent();
  void magnifyByKey(int steps);
  QString wordsOf(const CellPlace& place) const;

  const Journal* journal_ = nullptr;
  QString none_;  // text shown without a tensor
  Snapshot snapshot_;
  std::shared_ptr<const TensorView> view_ = std::make_shared<TensorView>();
  TensorSlice slice_;
  std::unique_ptr<ShardsSource> source_;  // refers to the members above; null without a tensor
  mutable ShardsScene scene_;
  mutable QRectF laid_;  // the area in which cells are laid out
  QSize room_;
  Magnifier magnifier_;
  CellPlace current_;
  bool dark_ = false;
  bool alwaysNumbers_ = false;
  ShardMotion motion_;
  QVariantAnimation clock_;  // drives motion_
  QTimer stepped_;
};

}  // namespace shardlens
