#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Ranks laid out as an n-dimensional grid with named axes, the last axis running fastest.
class DeviceMesh {
 public:
  // Names may be left out (d0, d1, ...); ranks too, which are 0, 1, ... then. Refuses empty or
  // unequal lists, sizes below 1, and a rank that is negative or there twice.
  static Result<DeviceMesh> make(std::vector<int> shape, std::vector<std::string> names = {},
                                 std::vector<int> ranks = {});

  int ndim() const { return static_cast<int>(shape_.size()); }
  int size() const { return size_; }
  int size(int dim) const { return shape_[static_cast<std::size_t>(dim)]; }
  const std::vector<int>& shape() const { return shape_; }
  const std::vector<std::string>& names() const { return names_; }

  // The rank at each place, the last axis running fastest.
  std::vector<int> ranks() const;
  bool has(int rank) const { return placeOf(rank).has_value(); }

  // Where a rank of the mesh stands on each axis.
  std::vector<int> coordinate(int rank) const;
  int coordinate(int rank, int dim) const { return place(rank) / stride(dim) % size(dim); }
  // The ranks that differ along these axes only, a list a group, the last of the axes running
  // fastest.
  std::vector<std::vector<int>> groups(const std::vector<int>& dims) const;
  std::vector<std::vector<int>> groups(int dim) const { return groups(std::vector{dim}); }

  bool operator==(const DeviceMesh&) const = default;

 private:
  int stride(int dim) const { return strides_[static_cast<std::size_t>(dim)]; }
  // Its number in the order of ranks(); ranks that are 0, 1, ... are not written down.
  std::optional<int> placeOf(int rank) const;
  int place(int rank) const { return ranks_.empty() ? rank : placeOf(rank).value(); }
  int rankAt(int place) const {
    return ranks_.empty() ? place : ranks_[static_cast<std::size_t>(place)];
  }

  std::vector<int> shape_;
  std::vector<int> strides_;
  std::vector<std::string> names_;
  std::vector<int> ranks_;
  std::vector<int> placesByRank_;  // of those ranks, the lowest first
  int size_ = 1;
};

// "2x4:dp,tp": sizes, then names, which may be left out when it is read. The ranks, where they are
// not 0, 1, ..., are not in it.
std::string toText(const DeviceMesh& mesh);
Result<DeviceMesh> parseMesh(std::string_view text);

using MeshPtr = std::shared_ptr<const DeviceMesh>;

}  // namespace shardlens
