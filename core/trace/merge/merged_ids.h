#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlens {

// A map from ids to ids. Consecutive ids cost 4 bytes each; scattered ids, as a damaged recording
// may contain, go to a hash table.
class IdMap {
 public:
  std::uint32_t find(std::uint32_t id) const;  // 0 if it is unknown
  void put(std::uint32_t id, std::uint32_t to);

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
  std::size_t known_ = 0;
};

// Assigns one merged id to the objects (tensors or mask buffers) that the processes of a run know
// under separate ids. Merged ids count 1, 2, 3, ... in the order of first reference, which is the
// order in which one process hosting all ranks would number them.
class MergedIds {
 public:
  explicit MergedIds(std::size_t processes) : merged_(processes), own_(processes) {}

  struct Found {
    std::uint32_t id = 0;             // 0 if `named` is all 0
    std::vector<std::size_t> joined;  // processes whose id was mapped by this call
  };
  // Returns the merged id of an object, creating it if needed. `named`: the object's id in each
  // process, 0 in processes that do not refer to it.
  Found find(std::span<const std::uint32_t> named);

  // Convert between a process's id and the merged id; 0 if it is not mapped yet.
  std::uint32_t mergedOf(std::size_t process, std::uint32_t id) const {
    return merged_[process].find(id);
  }
  std::uint32_t ownOf(std::size_t process, std::uint32_t merged) const {
    return own_[process].find(merged);
  }

 private:
  std::vector<IdMap> merged_;
  std::vector<IdMap> own_;
  std::uint32_t given_ = 0;
};

}  // namespace shardlens
