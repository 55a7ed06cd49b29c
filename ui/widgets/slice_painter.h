#pragma once

#include "ui/scenes/colour_scale.h"
#include "ui/scenes/inspected_elements.h"
#include "ui/widgets/slice_grid.h"

#include <QImage>

class QPainter;

namespace shardlens {

// Draws the visible cells of a slice as numbers, or as a heat map. Keeps references to its inputs.
struct SlicePainter {
  const InspectedElements& elements;
  const TensorSlice& slice;
  const SliceGrid& grid;
  const ColourScale& scale;

  void drawNumbers(QPainter& painter) const;
  // Returns the size of the heat map's image: one pixel per cell, or fewer if there are more cells
  // than `pixels` or more than 250,000 reads.
  QSize imageSize(QSize pixels) const;
  QImage image(QSize size) const;  // reads the elements
  void drawImage(QPainter& painter, const QImage& image) const;
  // Draws the colour scale with its numbers.
  void drawLegend(QPainter& painter, const QRectF& place) const;

 private:
  QRgb pixel(const SliceCell& cell, bool isCrossed) const;
  void drawMarks(QPainter& painter) const;
};

}  // namespace shardlens
