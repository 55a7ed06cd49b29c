#include "ui/scenes/shard_grid.h"

#include "core/model/spec.h"

namespace shardlens {

Grid gridOf(const Shape& shape) {
  if (shape.empty()) {
    return {1, 1};
  }
  if (shape.size() == 1) {
    return {shape[0], 1};
  }
  return {elementCount(Shape(shape.begin(), shape.end() - 1)), shape.back()};
}

Runs rowRuns(const RankPart& part, const Shape& whole) {
  const Grid cells = gridOf(part.local);
  const std::size_t ndim = part.local.size();
  if (ndim == 0 || part.runs.size() != ndim) {
    return {{0, cells.rows}};
  }
  if (ndim < 3) {
    return part.runs[0];
  }
  Runs rows{{0, 1}};
  for (std::size_t dim = 0; dim + 1 < ndim; ++dim) {
    Runs finer;
    for (const Run& outer : rows) {
      for (std::int64_t i = outer.begin; i < outer.begin + outer.length; ++i) {
        for (const Run& inner : part.runs[dim]) {
          appendRun(finer, {i * whole[dim] + inner.begin, inner.length});
        }
      }
    }
    rows = std::move(finer);
  }
  return rows;
}

Runs columnRuns(const RankPart& part) {
  const std::size_t ndim = part.local.size();
  return ndim < 2 || part.runs.size() != ndim ? Runs{{0, gridOf(part.local).columns}}
                                              : part.runs.back();
}

}  // namespace shardlens
