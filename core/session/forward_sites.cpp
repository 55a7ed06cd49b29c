#include "core/session/forward_sites.h"

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/function.h>

#include <utility>

namespace shardlens {

SiteRecord ForwardSites::of(SiteRecord site) {
  if (const auto node = torch::autograd::get_current_node()) {
    const auto number = node->sequence_nr();
    for (const auto* sites : {&newer_, &older_}) {
      const auto found = sites->find(number);
      if (found == sites->end()) continue;
      site = found->second;
      break;
    }
    site.pass = "backward";
    return site;
  }
  // A call's node is made before its kernel runs, and is the newest one then. A call without a node
  // comes too late to take that of the one before it.
  const auto next = at::sequence_number::peek();
  if (next == 0) return site;
  if (newer_.size() == kMost) older_ = std::exchange(newer_, {});
  newer_.try_emplace(next - 1, site);
  return site;
}

void ForwardSites::clear() {
  newer_.clear();
  older_.clear();
}

}  // namespace shardlens
