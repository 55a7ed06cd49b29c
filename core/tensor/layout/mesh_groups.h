#pragma once

#include "core/comm/communicator.h"
#include "core/model/mesh.h"

#include <string>
#include <vector>

namespace shardlens {

// The groups of a mesh along some of its dimensions, with the group of each rank.
class MeshGroups {
 public:
  MeshGroups(const DeviceMesh& mesh, const std::vector<int>& dims);

  // Returns the name of the axis: "tp", or "dp_tp" for several dimensions.
  static std::string axisName(const DeviceMesh& mesh, const std::vector<int>& dims);

  const GroupSet& set() const { return set_; }
  // Return a rank's group and its number in set().groups. The rank must be in the mesh.
  const std::vector<int>& groupOf(int rank) const { return set_.groups[numberOf(rank)]; }
  std::size_t numberOf(int rank) const { return groupOf_[static_cast<std::size_t>(rank)]; }
  int groupSize() const { return static_cast<int>(set_.groups.front().size()); }

 private:
  GroupSet set_;
  std::vector<std::size_t> groupOf_;  // indexed by rank
};

}  // namespace shardlens
