#include "core/plan/local_bytes.h"

namespace shardlens {

double localBytes(const DeviceMesh& mesh, const TensorMeta& meta, const Placements& placements) {
  double bytes = static_cast<double>(elementCount(meta.shape)) * dtypeSize(meta.dtype);
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    if (shardedDim(placements[static_cast<std::size_t>(dim)])) bytes /= mesh.size(dim);
  }
  return bytes;
}

}  // namespace shardlens
