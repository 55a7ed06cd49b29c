#include "ui/scenes/mesh_grid.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace shardlens {
namespace {

constexpr double kLargestWidth = 92;
constexpr double kLargestHeight = 62;
constexpr double kSmallestHeight = 17;
constexpr double kSmallestGap = 4;
constexpr double kShare = 0.72;     // of the pitch that is box; the rest shows the edges between
constexpr double kBlockGap = 0.35;  // of a pitch, beside the blocks of an outer axis

// A number of so many digits in the smallest font fits in.
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

MeshGrid::MeshGrid(const DeviceMesh& mesh, QSizeF area) : places_(mesh.size()) {
  const double narrowest = smallestWidth(places_) + kSmallestGap;
  const bool alone =
      std::count_if(mesh.shape().begin(), mesh.shape().end(), [](int n) { return n > 1; }) < 2;
  if (alone) {
    const int columns = wrappedColumns(
        places_, std::max(1, static_cast<int>((area.width() + kSmallestGap) / narrowest)));
    addLevel(columns, 1, /*across=*/true);
    addLevel((places_ + columns - 1) / columns, columns, /*across=*/false);
  } else {
    int stride = 1;
    for (int dim = mesh.ndim() - 1; dim >= 0; --dim) {
      addLevel(mesh.size(dim), stride, (mesh.ndim() - 1 - dim) % 2 == 0);
      stride *= mesh.size(dim);
    }
  }
  place(area);
}

void MeshGrid::addLevel(int count, int stride, bool across) {
  levels_.push_back({count, stride, across, 0, 0});
}

void MeshGrid::place(QSizeF area) {
  // In pitches first: how many there are across and down, with the gaps between blocks.
  double units[2] = {1, 1};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    double& span = units[level.across ? 0 : 1];
    level.extent = span;
    level.step = span + (i < 2 ? 0 : kBlockGap);
    span = level.step * (level.count - 1) + span;
  }
  const double smallest = smallestWidth(places_);
  // The box that shares the room with its gap; then the pitch with which all boxes fill it.
  const auto fitted = [](double room, double count, double low, double high, double share) {
    const double box = std::clamp(kShare * room / (count - (1 - kShare)), low, high);
    const double pitch = count > 1 ? (room - box) / (count - 1) : box / share;
    return std::pair(box, std::clamp(pitch, box + kSmallestGap, box / share));
  };
  const auto [width, pitchX] = fitted(area.width(), units[0], smallest, kLargestWidth, kShare);
  const auto [height, pitchY] =
      fitted(area.height(), units[1], kSmallestHeight, kLargestHeight, 0.66);
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

// Outer levels first, of each only the coordinates whose blocks meet the rectangle.
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
