#pragma once

#include "core/checkpoints/checkpoint.h"
#include "core/inference/inference.h"

#include <string>
#include <vector>

namespace shardlens {

// Which slices of a tensor of a checkpoint the ranks of a job have in a parameter or buffer.
struct LoadedTensor {
  std::string name;         // in the job
  std::string stored = {};  // in the checkpoint; empty if it has no such tensor
  std::string whyNot = {};  // why it is not compared, or empty
  std::vector<Placement> placements =
      {};  // that the slices have, for each axis; empty if not compared
  struct Slice {
    int rank;
    Box box;  // of the tensor in the checkpoint
  };
  std::vector<Slice> slices = {};          // that the ranks should have by these placements
  std::vector<std::string> problems = {};  // sentences
};

// Compares the first recorded values of each parameter and buffer with a checkpoint, by element.
// A name of the job matches one of the checkpoint that is equal, or, if only one does, ends with
// it or is its ending after a dot. The placements are those that fit the shapes, agree with
// `inferred`, and explain the values of the most ranks, in this order. A problem is a rank that has
// other values. A tensor of which no rank has a slice is not compared.
std::vector<LoadedTensor> compareWithCheckpoint(const Journal& journal,
                                                const InferredPlacements& inferred,
                                                const Checkpoint& checkpoint);

}  // namespace shardlens
