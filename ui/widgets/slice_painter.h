#pragma once

#include "ui/scenes/colour_scale.h"
#include "ui/scenes/inspected_elements.h"
#include "ui/widgets/slice_grid.h"

#include <QImage>

class QPainter;

namespace shardlens {

// How the cells of a slice are drawn: as numbers, or as the colours of one image. It reads what is
// seen.
struct SlicePainter {
  const InspectedElements& elements;
  const TensorSlice& slice;
  const SliceGrid& grid;
  const ColourScale& scale;

  void drawNumbers(QPainter& painter) const;
  // A pixel a cell, or fewer where there are more cells than pixels, or reading them takes long.
  QSize imageSize(QSize pixels) const;
  QImage image(QSize size) const;
  void drawImage(QPainter& painter, const QImage& image) const;
  // The colours with their numbers, in this place.
  void drawLegend(QPainter& painter, const QRectF& place) const;

 private:
  QRgb pixel(const SliceCell& cell, bool isCrossed) const;
  void drawMarks(QPainter& painter) const;
};

}  // namespace shardlens
