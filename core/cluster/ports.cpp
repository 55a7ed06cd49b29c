#include "core/cluster/ports.h"

#include <arpa/inet.h>

#include <sys/socket.h>
#include <unistd.h>

namespace shardlens {
namespace {

// Binds a port, or any free one for 0, and closes it. Returns its number, or 0 if it cannot be
// bound.
std::uint16_t bound(std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Old connections of a closed server do not prevent listening.
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool done = ::bind(listener, plain, size) == 0 && ::listen(listener, 1) == 0 &&
                    ::getsockname(listener, plain, &size) == 0;
  ::close(listener);
  return done ? ntohs(address.sin_port) : std::uint16_t{0};
}

}  // namespace

bool isPortTaken(std::uint16_t port) { return bound(port) == 0; }

std::uint16_t freePort() { return bound(0); }

}  // namespace shardlens
