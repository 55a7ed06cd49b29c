#include "core/cluster/ports.h"

#include <arpa/inet.h>

#include <sys/socket.h>
#include <unistd.h>

namespace shardlens {
namespace {

// The port that was bound: the one asked for, or of 0 any; 0 where that cannot be.
std::uint16_t bound(std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // What the last connections of a server that is gone leave behind keeps nobody from listening.
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
