#pragma once

#include <cstdint>

namespace shardlens {

// Ports of this machine's loopback address.

// Returns true if the port is in use, or this process may not bind it.
bool isPortTaken(std::uint16_t port);
// Returns a port that is free at the moment, or 0 if there is none.
std::uint16_t freePort();

}  // namespace shardlens
