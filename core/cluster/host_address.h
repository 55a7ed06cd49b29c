#pragma once

#include <cstdint>
#include <string>

namespace shardlens {

// This host's address on the way to another host, as the system would go there: where the processes
// over there find it. Empty where there is no way.
std::string addressTowards(const std::string& host, std::uint16_t port);

// Of an address that only the host itself can reach.
bool isLoopback(const std::string& address);

}  // namespace shardlens
