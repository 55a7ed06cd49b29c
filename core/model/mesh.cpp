#include "core/model/mesh.h"

#include <algorithm>
#include <set>

namespace shardlens {

Result<DeviceMesh> DeviceMesh::make(std::vector<int> shape, std::vector<std::string> names) {
  if (shape.empty()) return fail("mesh shape: got no dimensions, expected at least one");
  constexpr std::int64_t kMostRanks = 1 << 24;
  std::int64_t ranks = 1;
  for (const int size : shape) {
    if (size < 1) {
      return fail("mesh shape: got size " + std::to_string(size) + ", expected at least 1");
    }
    ranks *= size;
    if (ranks > kMostRanks) return fail("mesh shape: got more than 16777216 ranks");
  }
  if (names.empty()) {
    for (std::size_t i = 0; i < shape.size(); ++i) names.push_back("d" + std::to_string(i));
  }
  if (names.size() != shape.size()) {
    return fail("mesh names: got " + std::to_string(names.size()) + ", expected one for each of " +
                std::to_string(shape.size()) + " dimensions");
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    return fail("mesh names: got one twice, expected different ones");
  }
  DeviceMesh mesh;
  mesh.shape_ = std::move(shape);
  mesh.names_ = std::move(names);
  mesh.strides_.assign(mesh.shape_.size(), 1);
  for (int dim = mesh.ndim() - 1; dim >= 0; --dim) {
    mesh.strides_[static_cast<std::size_t>(dim)] = mesh.size_;
    mesh.size_ *= mesh.size(dim);
  }
  return mesh;
}

std::vector<int> DeviceMesh::coordinate(int rank) const {
  std::vector<int> at(shape_.size());
  for (int dim = 0; dim < ndim(); ++dim) at[static_cast<std::size_t>(dim)] = coordinate(rank, dim);
  return at;
}

std::vector<std::vector<int>> DeviceMesh::groups(int dim) const {
  std::vector<std::vector<int>> groups;
  groups.reserve(static_cast<std::size_t>(size_ / size(dim)));
  for (int rank = 0; rank < size_; ++rank) {
    if (coordinate(rank, dim) != 0) continue;
    auto& group = groups.emplace_back();
    for (int i = 0; i < size(dim); ++i) group.push_back(rank + i * stride(dim));
  }
  return groups;
}

}  // namespace shardlens
