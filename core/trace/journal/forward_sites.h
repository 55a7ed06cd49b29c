#pragma once

#include "core/trace/records/site_record.h"

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_map>

namespace shardlens {

// Where a program is, backward too: what runs for a gradient is said to be at the forward call that
// the gradient is of. The newest million calls are remembered, by the numbers that libtorch's
// autograd gives the nodes of calls. For the thread that runs the program.
class ForwardSites {
 public:
  // The site of what runs now: `site`, where the program itself is, or that of the forward call.
  // `gradient`: the number of the node that autograd runs now, none in forward. `next`: the number
  // that the next node will get.
  // The same object is given for the same place as long as `site` is.
  std::shared_ptr<const SiteRecord> of(std::shared_ptr<const SiteRecord> site,
                                       std::optional<std::uint64_t> gradient, std::uint64_t next);
  void clear();

 private:
  static constexpr std::size_t kMost = 1'000'000;
  using Site = std::shared_ptr<const SiteRecord>;

  const Site& backwardOf(const Site& site);

  // Their small pieces would lie between the program's tensors, and cut the heap up.
  std::pmr::unsynchronized_pool_resource pool_;
  std::pmr::unordered_map<std::uint64_t, Site> newer_{&pool_}, older_{&pool_};
  std::unordered_map<Site, Site> backward_;
};

}  // namespace shardlens
