#include "core/tensor/layout/mesh_groups.h"

#include <algorithm>

namespace shardlens {

std::string MeshGroups::axisName(const DeviceMesh& mesh, const std::vector<int>& dims) {
  std::string name;
  for (const int dim : dims) {
    name += (name.empty() ? "" : "_") + mesh.names()[static_cast<std::size_t>(dim)];
  }
  return name;
}

MeshGroups::MeshGroups(const DeviceMesh& mesh, const std::vector<int>& dims) {
  set_.groups = mesh.groups(dims);
  set_.meshDim = dims.size() == 1 ? dims.front() : -1;
  set_.axis = axisName(mesh, dims);
  int last = 0;
  for (const auto& group : set_.groups) {
    last = std::max(last, *std::max_element(group.begin(), group.end()));
  }
  groupOf_.resize(static_cast<std::size_t>(last) + 1);
  for (std::size_t i = 0; i < set_.groups.size(); ++i) {
    for (const int rank : set_.groups[i]) groupOf_[static_cast<std::size_t>(rank)] = i;
  }
}

}  // namespace shardlens
