#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlens {

// From ids to ids. Those that are counted 1, 2, 3, ... cost 4 bytes each; a damaged recording may
// name any.
class IdMap {
 public:
  std::uint32_t find(std::uint32_t id) const;  // 0 where it is not known
  void put(std::uint32_t id, std::uint32_t to);

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
  std::size_t known_ = 0;
};

// One id for what the processes of a run each have under an id of their own: tensors, or mask
// buffers. Ids are given out 1, 2, 3, ... as things are named, which is the order in which a
// process that hosted all ranks would have numbered them.
class MergedIds {
 public:
  explicit MergedIds(std::size_t processes) : merged_(processes), own_(processes) {}

  struct Found {
    std::uint32_t id = 0;             // 0 where nobody has anything
    std::vector<std::size_t> joined;  // processes of which it has become known only now
  };
  // Of what an event of all of them names; 0 where a process has nothing there.
  Found find(std::span<const std::uint32_t> named);

  // What this process's one has become, and the other way round; 0 where nothing has named it yet.
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
