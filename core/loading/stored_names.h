#pragma once

#include "core/checkpoints/checkpoint.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace shardlens {

// Finds the tensor of a checkpoint that has a name of a job. Takes logarithmic time in the number
// of tensors.
class StoredNames {
 public:
  static constexpr std::size_t kMostEnding = 1024;

  // `checkpoint` must outlive this object.
  explicit StoredNames(const Checkpoint& checkpoint);

  // Returns the tensor with this name. Without one, returns the only tensor whose name ends with
  // "." + name, or for which `name` ends with "." + its name; null if there is none, or several.
  // Endings of more than kMostEnding characters do not count.
  const CheckpointTensor* find(std::string_view name) const;

 private:
  // The tensors whose names have this ending after a dot.
  struct Ending {
    const CheckpointTensor* first = nullptr;
    std::size_t count = 0;
  };

  const Checkpoint& checkpoint_;
  std::unordered_map<std::string_view, Ending> endings_;  // views of names of the checkpoint
};

}  // namespace shardlens
