#pragma once

#include <string>

namespace shardlens::cli {

// From now on SIGTERM and SIGINT are noted, once each, instead of ending the process: a loop that
// waits asks for them and ends the run in order. The second one of a kind ends the process at once.
void noteEndSignals();
// "SIGTERM", or nothing. From any thread.
std::string endSignal();

}  // namespace shardlens::cli
