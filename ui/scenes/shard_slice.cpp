#include "ui/scenes/shard_slice.h"

#include "core/model/spec.h"

#include <algorithm>
#include <set>

namespace shardlens {
namespace {

std::int64_t strideOf(const Shape& shape, int dim) {
  std::int64_t stride = 1;
  for (std::size_t inner = static_cast<std::size_t>(dim) + 1; inner < shape.size(); ++inner) {
    stride *= shape[inner];
  }
  return stride;
}

// Returns all rows of a value that has another number of dimensions than its tensor.
ShardSlice flattened(const Shape& shape) {
  const std::int64_t columns = shape.size() < 2 ? 1 : shape.back();
  const std::int64_t rows = columns == 0 ? 0 : elementCount(shape) / columns;
  return {{{0, rows}}, {{0, columns}}, 0, columns, 1};
}

}  // namespace

TensorSlice firstSlice(const TensorRecord& tensor) {
  TensorSlice slice(tensor.shape);
  const int dims = static_cast<int>(tensor.shape.size());
  std::set<int> cut;
  for (const Placement& placement : tensor.placements) {
    const auto dim = shardedDim(placement);
    if (dim && *dim < dims) {
      cut.insert(*dim);
    }
  }
  if (dims < 3 || cut.empty()) {
    return slice;
  }
  // The last two sharded dimensions, or the only one and the last of the other dimensions.
  const int last = *cut.rbegin();
  const int other = cut.size() > 1     ? *std::next(cut.rbegin())
                    : last == dims - 1 ? last - 1
                                       : dims - 1;
  slice.setRowDim(std::min(last, other));
  slice.setColumnDim(std::max(last, other));
  return slice;
}

ShardSlice sliceOf(const RankPart& part, const TensorSlice& slice) {
  const Shape& local = part.local;
  if (local.size() != slice.shape().size()) {
    return flattened(local);
  }
  const bool isKnown = part.runs.size() == local.size();
  ShardSlice held;
  const auto along = [&](int dim, Runs& runs, std::int64_t& stride) {
    const auto place = static_cast<std::size_t>(dim);
    runs = dim < 0 ? Runs{{0, 1}} : isKnown ? part.runs[place] : Runs{{0, local[place]}};
    stride = dim < 0 ? 0 : strideOf(local, dim);
  };
  along(slice.rowDim(), held.rows, held.rowStride);
  along(slice.columnDim(), held.columns, held.columnStride);
  for (int dim = 0; dim < static_cast<int>(local.size()); ++dim) {
    if (dim == slice.rowDim() || dim == slice.columnDim()) {
      continue;
    }
    const auto place = static_cast<std::size_t>(dim);
    const auto index = isKnown ? localIndex(part.runs[place], slice.index(dim)) : slice.index(dim);
    if (index < 0 || index >= local[place]) {
      return {{}, {}, 0, 0, 0, /*hasPart=*/false};
    }
    held.first += index * strideOf(local, dim);
  }
  return held;
}

Shape paddedShape(const TensorView& view) {
  if (view.isInferred) return {};
  for (const RankPart& part : view.parts) {
    if (!view.mesh || !view.mesh->has(part.rank)) {
      continue;
    }
    const auto at = view.mesh->coordinate(part.rank);
    if (std::all_of(at.begin(), at.end(), [](int place) { return place == 0; })) {
      return localShape(view.record->shape, *view.mesh, view.record->placements, part.rank);
    }
  }
  return {};
}

}  // namespace shardlens
