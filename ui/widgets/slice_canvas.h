#pragma once

#include "ui/scenes/colour_scale.h"
#include "ui/scenes/inspected_elements.h"
#include "ui/widgets/slice_grid.h"

#include <QAbstractScrollArea>
#include <QImage>

namespace shardlens {

// A slice of a tensor as a table of numbers or a heat map, with the indices of its rows and columns
// beside it. However large the slice is, only what is seen of it is read. Arrows move from cell to
// cell, with Shift they choose several; Return or a click asks for one; Plus, Minus and 0 zoom the
// heat map.
class SliceCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  enum class Draws { Numbers, Colours };
  enum class Indices { Local, Global };

  explicit SliceCanvas(QWidget* parent = nullptr);

  // The current cell stays where it is, as far as it is there.
  void setElements(InspectedElements elements, const TensorSlice& slice);
  void setSlice(const TensorSlice& slice);
  void setDraws(Draws draws);
  void setIndices(Indices indices);
  void setScale(const ColourScale& scale);

  const TensorSlice& slice() const { return slice_; }
  const InspectedElements& elements() const { return elements_; }
  const SliceGrid& grid() const { return grid_; }
  QString emptyText() const;
  // "1,024 of 16,777,216 cells drawn"; empty where all that are seen are.
  QString sampledText() const;

  SliceCell current() const { return current_; }
  void setCurrent(const SliceCell& cell);
  void zoom(int steps);  // the heat map; 0 fits it into the room
  QString headingOfRow(std::int64_t row) const;
  QString headingOfColumn(std::int64_t column) const;
  QString chosenText() const;  // what is copied: cells parted by tabs, rows by line ends

 Q_SIGNALS:
  void currentMoved();
  void cellChosen();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  enum class Extend { No, Yes };

  void layOut();
  QSize imageSize() const;
  void moveTo(SliceCell cell, Extend extend);
  void drawHeadings(QPainter& painter) const;
  void drawCursor(QPainter& painter) const;
  QString heading(int dim, std::int64_t index) const;
  void copy() const;

  InspectedElements elements_;
  TensorSlice slice_;
  ColourScale scale_;
  SliceGrid grid_;
  Draws draws_ = Draws::Numbers;
  Indices indices_ = Indices::Local;
  int zoom_ = 0;  // pixels a cell; 0: it fits
  SliceCell current_;
  SliceCell anchor_;  // the other corner of the cells that are chosen
  QImage image_;      // null: to be made
  bool dark_ = false;
};

}  // namespace shardlens
