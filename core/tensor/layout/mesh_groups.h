#pragma once

#include "core/comm/communicator.h"
#include "core/model/mesh.h"

#include <string>
#include <vector>

namespace shardlens {

// The groups of a mesh along some of its dimensions, and which of them a rank is in.
class MeshGroups {
 public:
  MeshGroups(const DeviceMesh& mesh, const std::vector<int>& dims);

  // "tp"; "dp_tp" for several.
  static std::string axisName(const DeviceMesh& mesh, const std::vector<int>& dims);

  const GroupSet& set() const { return set_; }
  const std::vector<int>& groupOf(int rank) const { return set_.groups[numberOf(rank)]; }
  std::size_t numberOf(int rank) const { return groupOf_[static_cast<std::size_t>(rank)]; }
  int groupSize() const { return static_cast<int>(set_.groups.front().size()); }

 private:
  GroupSet set_;
  std::vector<std::size_t> groupOf_;  // by rank
};

}  // namespace shardlens
