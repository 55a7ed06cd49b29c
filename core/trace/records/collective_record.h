#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// What the detail of a Collective event says; it is empty where nothing is known.
struct CollectiveRecord {
  std::string axis = {};  // the mesh dimensions of its groups, "tp", "dp_tp"
  std::string only = {};  // of a merged recording: the ranks that came, where not all did, "0,2"
  std::string why = {};   // of a halo_exchange: what reaches beyond a rank's own, and how far
  // Of a broadcast or scatter: which member of each group has what is sent, from 0.
  std::optional<int> root = {};
  bool operator==(const CollectiveRecord&) const = default;
};

std::string collectiveDetail(const CollectiveRecord& collective);
CollectiveRecord readCollective(std::string_view detail);
// Its `only`, for less than all of it costs: most details say nothing of it.
std::string readRanksThatCame(std::string_view detail);

}  // namespace shardlens
