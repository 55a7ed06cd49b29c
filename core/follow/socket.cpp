#include "core/follow/socket.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace shardlens {

Result<Socket> Socket::connect(const std::string& host, const std::string& port) {
  const std::string where = host + ":" + port;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return fail(where + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Socket socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.descriptor_ >= 0 &&
        ::connect(socket.descriptor_, each->ai_addr, each->ai_addrlen) == 0) {
      return socket;
    }
    error = errno;
  }
  return fail(where + ": cannot connect: " + std::strerror(error));
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Socket::setPatience(std::chrono::seconds patience) const {
  const timeval time{patience.count(), 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

bool Socket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Socket::hasBytes(Time until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Time::clock::now());
  pollfd state{descriptor_, POLLIN, 0};
  return left.count() > 0 && ::poll(&state, 1, static_cast<int>(left.count())) > 0;
}

bool Socket::fill(char* into, std::size_t bytes, std::optional<Time> until) const {
  while (bytes != 0) {
    if (until && !hasBytes(*until)) return false;
    const auto got = ::recv(descriptor_, into, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Frame> Socket::receive(std::size_t most, std::optional<Time> until) const {
  char head[kFrameHead];
  if (!fill(head, sizeof(head), until)) return std::nullopt;
  const std::size_t size = bodySize({head, sizeof(head)});
  if (size > most) return std::nullopt;
  Frame frame{static_cast<FrameKind>(head[4]), std::string(size, '\0')};
  if (!fill(frame.body.data(), size, until)) return std::nullopt;
  return frame;
}

bool Socket::hasGone(std::chrono::milliseconds wait) const {
  pollfd state{descriptor_, POLLIN, 0};
  if (::poll(&state, 1, static_cast<int>(wait.count())) <= 0) return false;
  char byte = 0;
  return ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
         (state.revents & (POLLERR | POLLHUP)) != 0;
}

Result<LoopbackListener> LoopbackListener::open(std::uint16_t port) {
  LoopbackListener listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  if (listener.descriptor_ < 0 ||
      ::setsockopt(listener.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::bind(listener.descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.descriptor_, 8) != 0) {
    return fail(fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(errno)));
  }
  return listener;
}

LoopbackListener::LoopbackListener(LoopbackListener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

LoopbackListener::~LoopbackListener() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint16_t LoopbackListener::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

std::optional<Socket> LoopbackListener::accept() const {
  for (;;) {
    const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor >= 0) return Socket(descriptor);
    if (errno != EINTR && errno != ECONNABORTED) return std::nullopt;
  }
}

}  // namespace shardlens
