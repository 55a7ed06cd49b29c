#pragma once

#include "core/trace/merge/id_runs.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// A map from ids to ids. Consecutive ids that map to consecutive ids cost nothing; those that are
// put out of order go to a hash table. Lookups take logarithmic time.
class IdMap {
 public:
  IdMap() = default;
  explicit IdMap(std::shared_ptr<RunPatterns> patterns) : runs_(std::move(patterns)) {}

  std::uint32_t find(std::uint32_t id) const;  // 0 if it is unknown
  void put(std::uint32_t id, std::uint32_t to);
  std::uint32_t highest() const { return runs_.last(); }  // of the ids that are mapped; 0: none
  void beginStep() { runs_.beginStep(); }                 // see IdRuns

 private:
  IdRuns runs_;
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
};

// Assigns one merged id to the objects (tensors or mask buffers) that the processes of a run know
// under separate ids. Merged ids count 1, 2, 3, ... in the order of first reference, which is the
// order in which one process hosting all ranks would number them.
class MergedIds {
 public:
  explicit MergedIds(std::size_t processes)
      : merged_(processes, IdMap(patterns_)), own_(processes, IdMap(patterns_)) {}

  void beginStep();  // call it before each step; see IdRuns

  // The id of an object in one process; 0 if the process does not refer to it.
  struct Named {
    std::size_t process;
    std::uint32_t id;
  };
  struct Found {
    std::uint32_t id = 0;       // 0 if all ids are 0
    std::vector<Named> joined;  // the ids that were mapped by this call
  };
  // Returns the merged id of an object, creating it if needed.
  Found find(std::span<const Named> named);
  // Maps an id that is not mapped to a merged id, which is known or the next new one.
  void map(const Named& named, std::uint32_t merged);

  // Returns the highest id of the process that is mapped; 0 if none is.
  std::uint32_t highestOf(std::size_t process) const { return merged_[process].highest(); }
  std::uint32_t size() const { return given_; }  // the number of merged ids
  // Convert between a process's id and the merged id; 0 if it is not mapped yet.
  std::uint32_t mergedOf(std::size_t process, std::uint32_t id) const {
    return merged_[process].find(id);
  }
  std::uint32_t ownOf(std::size_t process, std::uint32_t merged) const {
    return own_[process].find(merged);
  }

 private:
  std::shared_ptr<RunPatterns> patterns_ = std::make_shared<RunPatterns>();
  std::vector<IdMap> merged_;
  std::vector<IdMap> own_;
  std::uint32_t given_ = 0;
};

}  // namespace shardlens
