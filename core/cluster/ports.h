#pragma once

#include <cstdint>

namespace shardlens {

// TCP ports of this machine's loopback address. Both functions bind a port briefly, so another
// process may take it afterwards.

// Returns true if a TCP port of the loopback address is in use, or this process may not bind it.
bool isPortTaken(std::uint16_t port);
// Returns a port that is free at the moment, or 0 if there is none.
std::uint16_t freePort();

}  // namespace shardlens
