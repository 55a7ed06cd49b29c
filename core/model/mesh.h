#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Ranks laid out as an n-dimensional grid with named axes, the last axis running fastest.
class DeviceMesh {
 public:
  // Names may be left out (d0, d1, ...). Refuses empty or unequal lists and sizes below 1.
  static Result<DeviceMesh> make(std::vector<int> shape, std::vector<std::string> names = {});

  int ndim() const { return static_cast<int>(shape_.size()); }
  int size() const { return size_; }
  int size(int dim) const { return shape_[static_cast<std::size_t>(dim)]; }
  const std::vector<int>& shape() const { return shape_; }
  const std::vector<std::string>& names() const { return names_; }

  // Where a rank stands on each axis.
  std::vector<int> coordinate(int rank) const;
  int coordinate(int rank, int dim) const { return rank / stride(dim) % size(dim); }
  // The ranks that differ along this axis only, a list a group, each in order of the axis.
  std::vector<std::vector<int>> groups(int dim) const;

  bool operator==(const DeviceMesh&) const = default;

 private:
  int stride(int dim) const { return strides_[static_cast<std::size_t>(dim)]; }

  std::vector<int> shape_;
  std::vector<int> strides_;
  std::vector<std::string> names_;
  int size_ = 1;
};

using MeshPtr = std::shared_ptr<const DeviceMesh>;

}  // namespace shardlens
