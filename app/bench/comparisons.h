#pragma once

#include "app/bench/clocks.h"
#include "app/bench/command_line.h"
#include "app/bench/peer.h"
#include "core/model/event.h"

namespace shardlens {

// Each asks the peer for a sample and takes one of ours for the same in turns, prints a table with
// what is aimed at, and returns all samples.
Result<nlohmann::json> compareBlocks(Peer& peer, Clock clock);
Result<nlohmann::json> compareDispatch(Peer& peer, Clock clock);
Result<nlohmann::json> compareEmbeddings(Peer& peer, Clock clock);
Result<nlohmann::json> comparePlans(Peer& peer, Clock clock);
Result<nlohmann::json> compareRedistributions(Peer& peer, Clock clock);

// The same of how much recording slows each side down, beside itself unrecorded. The thread that
// writes the file counts too.
Result<nlohmann::json> compareRecording(Peer& peer, Clock clock);

// The same among processes, several on each side.
Result<nlohmann::json> compareGloo(const PeerOptions& options);

// What writing and reading a large recording costs, one of so many events, and one of a run of many
// processes. DTensor has nothing like it, so there is no peer.
Result<nlohmann::json> compareJournal(EventId events);

// What the command line takes to answer questions to such a recording, and to compare two.
Result<nlohmann::json> compareQuery(EventId events);

// Reading a trace of Kineto's, of a twentieth as many events, beside Python's json.load.
Result<nlohmann::json> compareImport(const PeerOptions& options);

// What starts a script in peers/.
std::vector<std::string> peerCommand(const PeerOptions& options, const std::string& name);

}  // namespace shardlens
