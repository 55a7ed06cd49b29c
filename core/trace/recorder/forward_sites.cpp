#include "core/trace/recorder/forward_sites.h"

#include <utility>

namespace shardlens {

std::shared_ptr<const SiteRecord> ForwardSites::of(std::shared_ptr<const SiteRecord> site,
                                                   std::optional<std::uint64_t> gradient,
                                                   std::uint64_t next) {
  if (gradient) {
    for (const auto* sites : {&newer_, &older_}) {
      const auto found = sites->find(*gradient);
      if (found == sites->end()) continue;
      return backwardOf(found->second);
    }
    return backwardOf(site);
  }
  // The autograd node of a call is created before its kernel runs, so next - 1 is its number. A
  // call without a node does not replace the site of the previous one (try_emplace).
  if (next == 0) return site;
  if (newer_.size() == kMost) older_ = std::exchange(newer_, {});
  newer_.try_emplace(next - 1, site);
  return site;
}

const ForwardSites::Site& ForwardSites::backwardOf(const Site& site) {
  Site& backward = backward_[site];
  if (!backward) {
    SiteRecord record = *site;
    record.pass = "backward";
    backward = std::make_shared<const SiteRecord>(std::move(record));
  }
  return backward;
}

void ForwardSites::clear() {
  newer_.clear();
  older_.clear();
  backward_.clear();
}

}  // namespace shardlens
