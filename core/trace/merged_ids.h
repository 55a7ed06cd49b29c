#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlens {

// One id for what the processes of a run each have under an id of their own: tensors, or mask
// buffers. Ids are given out 1, 2, 3, ... as things are named, which is the order in which a
// process that hosted all ranks would have numbered them. Two things are one only where all
// processes say so: where one process shares a mask that the others do not share, there are two.
class MergedIds {
 public:
  // A process's id; 0 where it has nothing there, none where it was not asked.
  using Named = std::optional<std::uint32_t>;

  explicit MergedIds(std::size_t processes) : of_(processes) {}

  struct Found {
    std::uint32_t id = 0;             // 0 where nobody has anything
    std::vector<std::size_t> joined;  // processes of which it has become known only now
  };
  Found find(std::span<const Named> named);

  // What this process's one has become, oldest first.
  std::span<const std::uint32_t> mergedOf(std::size_t process, std::uint32_t id) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }

 private:
  bool agrees(std::uint32_t id, std::span<const Named> named) const;

  std::vector<std::vector<Named>> all_;  // by merged id
  std::vector<std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>> of_;
};

}  // namespace shardlens
