#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// A connected Unix domain socket that carries lines. One thread may read while another writes.
class LineSocket {
 public:
  // Connects to a listening socket. Returns an error if the path is too long or nothing listens.
  static Result<LineSocket> connect(const std::filesystem::path& path);
  LineSocket(LineSocket&& other) noexcept;
  LineSocket& operator=(LineSocket&&) = delete;
  ~LineSocket();

  // Blocks until a line arrives and returns it without its newline. Returns nullopt once the peer
  // has disconnected. For a line beyond about kLongestLine bytes, returns its beginning and shuts
  // the socket down.
  std::optional<std::string> read();
  static constexpr std::size_t kLongestLine = 4096;
  // Writes all of `text`, blocking. Returns false if the peer has disconnected. Does not add a
  // newline.
  [[nodiscard]] bool write(std::string_view text) const;
  // Shuts down both directions, so that a blocked read() returns. From any thread.
  void shutDown() const;

 private:
  explicit LineSocket(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  std::string pending_;  // received bytes after the last line
};

}  // namespace shardlens
