#pragma once

#include <string>

namespace shardlens::cli {

// From now on SIGTERM and SIGINT are recorded once each instead of ending the process. Loops that
// wait poll endSignal() and end the run in order. A second signal of the same kind ends the process
// at once.
void noteEndSignals();
// Returns the name of the last recorded signal, "SIGTERM" or "SIGINT", or an empty string if none
// came. Thread-safe.
std::string endSignal();

}  // namespace shardlens::cli
