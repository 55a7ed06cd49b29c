#pragma once

#include "core/checkpoints/checkpoint.h"

namespace shardlens {

// A difference between two checkpoints in one tensor. Kinds:
//   only-left, only-right  a tensor that the other checkpoint does not have
//   shape, dtype           of the whole tensor; tensors of different dtypes are compared by value
//   values                 elements that are not equal
//   moved                  a slice with the elements that the other checkpoint has at another place
//   not-compared           elements that one of the checkpoints cannot provide
struct CheckpointDifference {
  std::string kind;
  std::string tensor;
  std::string sentence;
  std::int64_t count = 0;  // values: elements that differ; not-compared: elements
  std::optional<Box> where = {};
  std::vector<std::string> files = {};
  // values only: the first element in row-major order, and the largest difference. The latter is
  // infinite if one of two elements is NaN or infinite.
  Extents first = {};
  std::string left = {}, right = {};
  double largest = 0;
};

struct CheckpointComparison {
  std::int64_t tensors = 0;   // that both have
  std::int64_t elements = 0;  // compared; an element in two slices counts twice
  std::vector<CheckpointDifference> differences;
};

// Compares two checkpoints element by element; their slices may differ. NaN equals NaN, and 0
// equals -0. Values that are no tensors are not compared. Uses at most about 100 MiB of memory.
// Does not throw for damaged files.
CheckpointComparison compareCheckpoints(const Checkpoint& left, const Checkpoint& right);

}  // namespace shardlens
