#pragma once

#include "core/tensor/masking/mask_registry.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace shardlens {

// What steps did to mask buffers: how many lookups hold each one then, and which tensors those are.
class MaskChanges {
 public:
  // Notes those that are not as they were after the step before.
  void take(const std::string& step, const std::vector<MaskRecordPtr>& buffers);
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
