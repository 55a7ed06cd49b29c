#include "core/cluster/host_address.h"

#include <netdb.h>

#include <memory>
#include <sys/socket.h>
#include <unistd.h>

namespace shardlens {
namespace {

// Returns the local address that the system would use towards the target. Connecting a datagram
// socket sends nothing; it only selects the route.
std::string sourceFor(const addrinfo& target) {
  const int socket = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  char text[NI_MAXHOST] = {};
  const bool found = ::connect(socket, target.ai_addr, target.ai_addrlen) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                     ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof(text),
                                   nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(socket);
  return found ? text : std::string();
}

}  // namespace

std::string addressTowards(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (auto address = sourceFor(*each); !address.empty()) return address;
  }
  return {};
}

bool isLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace shardlens
