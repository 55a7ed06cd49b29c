#pragma once

#include <string>

namespace shardlens::cli {

// From now on SIGTERM and SIGINT are noted, once each, instead of ending the process: whoever waits
// asks for them, and ends in its own way. The second one of a kind ends the process at once.
void noteEndSignals();
// "SIGTERM", or nothing. From any thread.
std::string endSignal();

}  // namespace shardlens::cli
