#pragma once

#include "ui/scenes/colour_scale.h"
#include "ui/scenes/inspected_elements.h"
#include "ui/widgets/slice_grid.h"

#include <QAbstractScrollArea>
#include <QImage>

namespace shardlens {

// Draws a slice of a tensor as a table of numbers or as a heat map, with row and column indices.
// Only visible elements are read. Arrows move from cell to cell, with Shift they extend the
// selection. Return or a click emits cellChosen. Plus, Minus and 0 zoom the heat map.
class SliceCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  enum class Draws { Numbers, Colours };
  enum class Indices { Local, Global };

  explicit SliceCanvas(QWidget* parent = nullptr);

  // Shows other elements. The current cell keeps its row and column, clamped to the slice.
  void setElements(InspectedElements elements, const TensorSlice& slice);
  void setSlice(const TensorSlice& slice);  // clamps the current cell; ends the selection
  void setDraws(Draws draws);
  void setIndices(Indices indices);
  void setScale(const ColourScale& scale);  // of the heat map

  const TensorSlice& slice() const { return slice_; }
  const InspectedElements& elements() const { return elements_; }
  const SliceGrid& grid() const { return grid_; }
  // Returns the text shown in place of cells; empty if there are cells.
  QString emptyText() const;
  // Returns "1,024 of 16,777,216 cells drawn", or an empty string if all visible cells are drawn.
  QString sampledText() const;

  // The current cell; {0, 0} while there are no cells.
  SliceCell current() const { return current_; }
  void setCurrent(const SliceCell& cell);  // clamps to the slice and scrolls to the cell
  // Doubles or halves the cells of the heat map; 0 fits it into the room.
  void zoom(int steps);
  // Return the shown index; "?" if the global index is unknown.
  QString headingOfRow(std::int64_t row) const;
  QString headingOfColumn(std::int64_t column) const;
  // Returns the selected cells, separated by tabs and newlines. Empty if more than 100,000 are
  // selected.
  QString chosenText() const;

 Q_SIGNALS:
  void currentMoved();  // the current cell was set, even to the same one
  void cellChosen();    // the current cell was chosen; also emitted while emptyText() is shown

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
  int zoom_ = 0;  // pixels per cell; 0: fit into the room
  SliceCell current_;
  SliceCell anchor_;  // the corner of the selection opposite to the current cell
  QImage image_;      // the cached heat map; null: invalid
  bool dark_ = false;
};

}  // namespace shardlens
