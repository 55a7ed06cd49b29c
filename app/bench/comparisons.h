#pragma once

#include "app/bench/clocks.h"
#include "app/bench/peer.h"

namespace shardlens {

// Each asks the peer for a sample and takes one of ours for the same in turns, prints a table with
// what is aimed at, and returns all samples.
Result<nlohmann::json> compareDispatch(Peer& peer, Clock clock);
Result<nlohmann::json> compareEmbeddings(Peer& peer, Clock clock);
Result<nlohmann::json> comparePlans(Peer& peer, Clock clock);
Result<nlohmann::json> compareRedistributions(Peer& peer, Clock clock);

}  // namespace shardlens
