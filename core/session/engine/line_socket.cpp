#include "core/session/engine/line_socket.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace shardlens {

Result<LineSocket> LineSocket::connect(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof(address.sun_path)) {
    return fail(fmt::format("{}: got a socket path of {} bytes, expected less than {}", name,
                            name.size(), sizeof(address.sun_path)));
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  LineSocket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.descriptor_ < 0 ||
      ::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0) {
    return fail(name + ": cannot connect: " + std::strerror(errno));
  }
  return socket;
}

LineSocket::LineSocket(LineSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), pending_(std::move(other.pending_)) {}

LineSocket::~LineSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::string> LineSocket::read() {
  for (;;) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    if (pending_.size() > kLongestLine) {
      shutDown();
      return std::exchange(pending_, {});
    }
    std::array<char, kLongestLine> chunk;
    const auto n = ::recv(descriptor_, chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    pending_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

bool LineSocket::write(std::string_view text) const {
  while (!text.empty()) {
    const auto n = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void LineSocket::shutDown() const { ::shutdown(descriptor_, SHUT_RDWR); }

}  // namespace shardlens
