#pragma once

#include "app/bench/clocks.h"
#include "app/bench/command_line.h"
#include "app/bench/peer.h"
#include "core/model/event.h"

namespace shardlens {

// Each function takes samples of the peer and of this program in turns, prints a table with the
// targets ("met" or "MISSED"), and returns all samples. Fails if the peer ends or refuses a
// question; comparePlans() only skips refused ones. `clock` selects the time in the table.
Result<nlohmann::json> compareBlocks(Peer& peer, Clock clock);
Result<nlohmann::json> compareDispatch(Peer& peer, Clock clock);
Result<nlohmann::json> compareEmbeddings(Peer& peer, Clock clock);
Result<nlohmann::json> comparePlans(Peer& peer, Clock clock);
Result<nlohmann::json> compareRedistributions(Peer& peer, Clock clock);

// As above. Measures how much recording slows down this program, and debugging modes DTensor, each
// relative to an unrecorded run of the same side. The thread that writes the file counts too.
Result<nlohmann::json> compareRecording(Peer& peer, Clock clock);

// As above, with groups of 4 and 2 processes on each side, connected by Gloo.
Result<nlohmann::json> compareGloo(const PeerOptions& options);

// Measures writing and reading of large recordings: of at least `events` events in one file, and of
// a run of 64 processes. There is no peer, because DTensor has no recordings.
Result<nlohmann::json> compareJournal(EventId events);

// Measures the program `shardlens`, in the folder of this one: queries to a large recording, and
// the difference of two.
Result<nlohmann::json> compareQuery(EventId events);

// Compares reading a Kineto trace of `options.events` / 20 events with Python's json.load.
Result<nlohmann::json> compareImport(const PeerOptions& options);

// Measures a generated run of `options.ranks` ranks with `options.events` events in total: opening,
// reading and querying it, and DuckDB on its Parquet export.
Result<nlohmann::json> compareRun(const PeerOptions& options);

// Returns the command that starts the script peers/`name`.py.
std::vector<std::string> peerCommand(const PeerOptions& options, const std::string& name);

}  // namespace shardlens
