#pragma once

#include <cstdint>
#include <string>

namespace shardlens {

// Returns the address of this host's interface on the route to another host, where processes on
// that host can reach this one. Empty if there is no route.
std::string addressTowards(const std::string& host, std::uint16_t port);

// Returns true if only the host itself can reach the address.
bool isLoopback(const std::string& address);

}  // namespace shardlens
