#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// An n-dimensional grid of ranks with named axes; the last axis varies fastest. May have several
// replicas: disjoint lists of ranks on grids of one shape, which run the same program on other
// data.
class DeviceMesh {
 public:
  // Names default to d0, d1, ... and ranks to 0, 1, .... Returns an error for an empty shape, sizes
  // below 1, more than 2^24 ranks, or a list of the wrong length. Also for repeated names and for
  // repeated or negative ranks.
  static Result<DeviceMesh> make(std::vector<int> shape, std::vector<std::string> names = {},
                                 std::vector<int> ranks = {});

  // Returns the mesh whose replicas are those of all `meshes`, as of mesh["tp"] on each `dp` rank.
  // nullopt if their shapes or names differ, if a rank occurs twice, or if `meshes` is empty. A
  // single mesh is returned unchanged.
  static std::optional<DeviceMesh> united(const std::vector<DeviceMesh>& meshes);

  int ndim() const { return static_cast<int>(shape_.size()); }
  int size() const { return size_; }  // of one replica
  int size(int dim) const { return shape_[static_cast<std::size_t>(dim)]; }
  const std::vector<int>& shape() const { return shape_; }
  const std::vector<std::string>& names() const { return names_; }

  // Returns the rank at each position of the grid, the last axis varying fastest, replica by
  // replica. replicas() returns a list for each replica.
  std::vector<int> ranks() const;
  std::vector<std::vector<int>> replicas() const;
  bool has(int rank) const { return placeOf(rank).has_value(); }

  // Returns the coordinates of a rank on all axes or on one. Requires has(rank).
  std::vector<int> coordinate(int rank) const;
  int coordinate(int rank, int dim) const { return place(rank) / stride(dim) % size(dim); }
  // Returns the index of the replica that has a rank. Requires has(rank).
  int replica(int rank) const { return place(rank) / size_; }
  // Returns the groups of ranks that differ along these axes only. Within a group the last of
  // `dims` varies fastest. Groups are ordered by their first member's position in ranks(). For
  // empty `dims` each rank is a group.
  std::vector<std::vector<int>> groups(const std::vector<int>& dims) const;
  std::vector<std::vector<int>> groups(int dim) const { return groups(std::vector{dim}); }

  bool operator==(const DeviceMesh&) const = default;

 private:
  int stride(int dim) const { return strides_[static_cast<std::size_t>(dim)]; }
  // Sets ranks_ and the index of it.
  void setRanks(std::vector<int> ranks);
  // Returns the position of a rank in ranks(), or nullopt. ranks_ is empty for ranks 0, 1, ... of
  // one replica.
  std::optional<int> placeOf(int rank) const;
  int place(int rank) const { return ranks_.empty() ? rank : placeOf(rank).value(); }
  int rankAt(int place) const {
    return ranks_.empty() ? place : ranks_[static_cast<std::size_t>(place)];
  }

  std::vector<int> shape_;
  std::vector<int> strides_;
  std::vector<std::string> names_;
  std::vector<int> ranks_;
  std::vector<int> placesByRank_;  // positions in ranks_, ordered by rank
  int size_ = 1;
};

// toText() returns "2x4:dp,tp": sizes and names, not ranks. parseMesh() parses it, also without
// names. Returns an error for other text and if DeviceMesh::make() does.
std::string toText(const DeviceMesh& mesh);
Result<DeviceMesh> parseMesh(std::string_view text);

using MeshPtr = std::shared_ptr<const DeviceMesh>;
inline MeshPtr shared(DeviceMesh mesh) {
  return std::make_shared<const DeviceMesh>(std::move(mesh));
}
// Returns true if both are null or point to equal meshes: same shape, names and ranks.
inline bool areEqual(const MeshPtr& one, const MeshPtr& other) {
  return one == other || (one != nullptr && other != nullptr && *one == *other);
}

}  // namespace shardlens
