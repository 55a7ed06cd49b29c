#pragma once

#include "core/trace/records/site_record.h"

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_map>

namespace shardlens {

// Maps events of the backward pass to the sites of their forward calls, by the sequence numbers of
// libtorch's autograd nodes. Remembers at least the newest million forward calls. Not thread safe;
// used on the program's thread.
class ForwardSites {
 public:
  // Returns the site of the operator that runs now. In forward: `site`, which is then also recorded
  // for the newest node. In backward: the site of the node's forward call with pass "backward", or
  // `site` with that pass if the call is unknown. `gradient`: the sequence number of the node that
  // autograd runs, nullopt in forward. `next`: the number that the next node will get, 0 if
  // unknown. Returns the same object for the same `site` object. `site` must not be null.
  std::shared_ptr<const SiteRecord> of(std::shared_ptr<const SiteRecord> site,
                                       std::optional<std::uint64_t> gradient, std::uint64_t next);
  // Forgets all sites.
  void clear();

 private:
  static constexpr std::size_t kMost = 1'000'000;
  using Site = std::shared_ptr<const SiteRecord>;

  const Site& backwardOf(const Site& site);

  // A pool, because small map nodes between the program's tensors would fragment the heap.
  std::pmr::unsynchronized_pool_resource pool_;
  std::pmr::unordered_map<std::uint64_t, Site> newer_{&pool_}, older_{&pool_};
  std::unordered_map<Site, Site> backward_;
};

}  // namespace shardlens
