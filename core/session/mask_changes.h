#pragma once

#include "core/tensor/masking/mask_registry.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace shardlens {

// A log of the changes to mask buffers, by step: each buffer's refcount and the names of its
// holders.
class MaskChanges {
 public:
  // Appends an entry for each buffer whose refcount or holders changed since the last call. Buffers
  // missing from `buffers` are released.
  void take(const std::string& step, const std::vector<MaskRecordPtr>& buffers);
  // Returns a list of {"step", "id", "refcount", "holders"}.
  const nlohmann::ordered_json& changes() const { return changes_; }

 private:
  struct Hold {
    int refcount = 0;
    std::vector<std::string> holders;
    bool operator==(const Hold&) const = default;
  };

  std::map<BufferId, Hold> held_;
  nlohmann::ordered_json changes_ = nlohmann::ordered_json::array();
};

}  // namespace shardlens
