#include "ui/scenes/mesh_grid.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace shardlens {
namespace {

constexpr double kLargestRankWidth = 92;
constexpr double kLargestRankHeight = 78;
constexpr double kSmallestHeight = 17;
constexpr double kSmallestGap = 4;
constexpr double kDot = 2;  // minimum size of a box at Magnifier::kAll
constexpr double kDotGap = 1;
constexpr double kRankShare = 0.72;  // box width per pitch; the gap shows the edges between boxes
constexpr double kShareDown = 0.66;
constexpr double kBlockGap = 0.35;  // gap between blocks of an outer axis, per pitch

// Returns the width in which the largest rank number fits in the smallest font.
double smallestWidth(int ranks) {
  return std::max(18.0, 8 + 6.0 * static_cast<double>(std::to_string(ranks - 1).size()));
}

}  // namespace

int wrappedColumns(int count, int fitting) {
  if (count <= fitting) {
    return count;
  }
  for (int columns = fitting; columns * 2 > fitting; --columns) {
    if (count % columns == 0) {
      return columns;
    }
  }
  const int rows = (count + fitting - 1) / fitting;
  return (count + rows - 1) / rows;
}

int columnsOfAll(int count, QSizeF area, double smallest) {
  const double pitch = std::sqrt(area.width() * area.height() / static_cast<double>(count));
  const int fitting =
      std::clamp(static_cast<int>(area.width() / std::max(pitch, smallest)), 1, count);
  const int even = wrappedColumns(count, fitting);
  const int rows = (count + even - 1) / even;
  return static_cast<double>(rows) * smallest <= area.height() ? even : fitting;
}

MeshGrid::MeshGrid(const DeviceMesh& mesh, QSizeF area, double magnified) : places_(mesh.size()) {
  const double narrowest = smallestWidth(places_) + kSmallestGap;
  const int fitting = std::max(1, static_cast<int>((area.width() + kSmallestGap) / narrowest));
  const bool isAll = magnified == Magnifier::kAll;
  const bool alone =
      std::count_if(mesh.shape().begin(), mesh.shape().end(), [](int n) { return n > 1; }) < 2;
  if (alone) {
    const int columns =
        isAll ? columnsOfAll(places_, area, kDot + kDotGap) : wrappedColumns(places_, fitting);
    addLevel(columns, 1, /*across=*/true);
    addLevel((places_ + columns - 1) / columns, columns, /*across=*/false);
  } else {
    int stride = 1;
    for (int dim = mesh.ndim() - 1; dim >= 0; --dim) {
      addLevel(mesh.size(dim), stride, (mesh.ndim() - 1 - dim) % 2 == 0);
      stride *= mesh.size(dim);
    }
  }
  place(area, magnified);
}

void MeshGrid::addLevel(int count, int stride, bool across) {
  levels_.push_back({count, stride, across, 0, 0});
}

void MeshGrid::place(QSizeF area, double magnified) {
  // The extent in pitches across and down, with the gaps between blocks.
  double units[2] = {1, 1};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    double& span = units[level.across ? 0 : 1];
    level.extent = span;
    level.step = span + (i < 2 ? 0 : kBlockGap);
    span = level.step * (level.count - 1) + span;
  }
  const bool isAll = magnified == Magnifier::kAll;
  const double smallestGap = isAll ? kDotGap : kSmallestGap;
  const double larger = isAll ? 1 : magnified;
  // Returns the size of a box, and the pitch with which all boxes fill the room.
  const auto fitted = [smallestGap, larger](double room, double count, double low, double high,
                                            double share) {
    double box = std::clamp(kRankShare * room / (count - (1 - kRankShare)), low, high);
    box = std::max(low, std::min(box, (room + smallestGap) / count - smallestGap));
    const double pitch = count > 1 ? (room - box) / (count - 1) : box / share;
    const double closest = box + smallestGap;
    return std::pair(box * larger,
                     std::clamp(pitch, closest, std::max(closest, box / share)) * larger);
  };
  const auto [width, pitchX] = fitted(area.width(), units[0], isAll ? kDot : smallestWidth(places_),
                                      kLargestRankWidth, kRankShare);
  const auto [height, pitchY] = fitted(area.height(), units[1], isAll ? kDot : kSmallestHeight,
                                       kLargestRankHeight, kShareDown);
  box_ = QSizeF(width, height);
  gap_ = QSizeF(pitchX - box_.width(), pitchY - box_.height());
  for (Level& level : levels_) {
    const double pitch = level.across ? pitchX : pitchY;
    level.step *= pitch;
    level.extent = level.extent * pitch - (level.across ? gap_.width() : gap_.height());
  }
  size_ = QSizeF(units[0] * pitchX - gap_.width(), units[1] * pitchY - gap_.height());
}

QRectF MeshGrid::boxOf(int place) const {
  QPointF at;
  for (const Level& level : levels_) {
    (level.across ? at.rx() : at.ry()) += level.step * (place / level.stride % level.count);
  }
  return {at, box_};
}

std::vector<int> MeshGrid::placesIn(const QRectF& rect, std::size_t most) const {
  std::vector<int> found;
  collect(levels_.size(), {}, 0, rect, most, found);
  return found;
}

int MeshGrid::neighbour(int place, QPoint side) const {
  const QRectF from = boxOf(place);
  // A line from the box's edge that is long enough to cross the gap between blocks.
  const QSizeF reach = (box_ + gap_) * 2;
  const QPointF middle = from.center();
  QRectF line(middle, QSizeF(0, 0));
  if (side.x() != 0) {
    line = side.x() > 0 ? QRectF(from.right() + 0.1, middle.y(), reach.width(), 0.1)
                        : QRectF(from.left() - 0.1 - reach.width(), middle.y(), reach.width(), 0.1);
  } else {
    line = side.y() > 0
               ? QRectF(middle.x(), from.bottom() + 0.1, 0.1, reach.height())
               : QRectF(middle.x(), from.top() - 0.1 - reach.height(), 0.1, reach.height());
  }
  const auto distance = [&](int other) {
    return (boxOf(other).center() - middle).manhattanLength();
  };
  const auto found = placesIn(line);
  if (!found.empty()) {
    return *std::min_element(found.begin(), found.end(),
                             [&](int a, int b) { return distance(a) < distance(b); });
  }
  return side.x() == 0 ? place : std::clamp(place + side.x(), 0, places_ - 1);
}

// Descends from the outermost level, and on each level only into blocks that intersect `rect`.
void MeshGrid::collect(std::size_t level, QPointF at, int place, const QRectF& rect,
                       std::size_t most, std::vector<int>& found) const {
  if (level == 0) {
    if (place < places_) {
      found.push_back(place);
    }
    return;
  }
  const Level& here = levels_[level - 1];
  const double from = here.across ? rect.left() - at.x() : rect.top() - at.y();
  const double to = here.across ? rect.right() - at.x() : rect.bottom() - at.y();
  const auto bounded = [&](double index) {
    return static_cast<int>(std::clamp(index, -1.0, static_cast<double>(here.count)));
  };
  const int first = std::max(0, bounded(std::ceil((from - here.extent) / here.step)));
  const int last = std::min(here.count - 1, bounded(std::floor(to / here.step)));
  for (int i = first; i <= last && found.size() <= most; ++i) {
    QPointF next = at;
    (here.across ? next.rx() : next.ry()) += here.step * i;
    collect(level - 1, next, place + i * here.stride, rect, most, found);
  }
}

}  // namespace shardlens
