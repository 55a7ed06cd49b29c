#pragma once

#include <cstdint>

namespace shardlens {

// Of this machine's loopback address.

// Somebody listens there, or may not.
bool isPortTaken(std::uint16_t port);
// One that nobody listens on just now.
std::uint16_t freePort();

}  // namespace shardlens
