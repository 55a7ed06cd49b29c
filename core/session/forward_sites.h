#pragma once

#include "core/trace/records/site_record.h"

#include <cstdint>
#include <unordered_map>

namespace shardlens {

// Where a program is, backward too: what runs for a gradient is said to be at the forward call that
// the gradient is of. The newest million calls are remembered; it asks libtorch's autograd which
// call that is. For the thread that runs the program.
class ForwardSites {
 public:
  // The site of what runs now: `site`, where the program itself is, or that of the forward call.
  SiteRecord of(SiteRecord site);
  void clear();

 private:
  static constexpr std::size_t kMost = 1'000'000;

  // By the number that autograd gives the node of a call.
  std::unordered_map<std::uint64_t, SiteRecord> newer_, older_;
};

}  // namespace shardlens
