#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// A connected local socket that carries lines. One thread may read while another writes.
class LineSocket {
 public:
  static Result<LineSocket> connect(const std::filesystem::path& path);
  LineSocket(LineSocket&& other) noexcept;
  LineSocket& operator=(LineSocket&&) = delete;
  ~LineSocket();

  // Waits for a line, without its newline; none when the other side has gone. Of one that is longer
  // than kLongestLine it gives the beginning, and reads no more.
  std::optional<std::string> read();
  static constexpr std::size_t kLongestLine = 4096;
  // False when the other side has gone.
  [[nodiscard]] bool write(std::string_view text) const;
  // Makes a waiting read() return.
  void shutDown() const;

 private:
  explicit LineSocket(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  std::string pending_;
};

}  // namespace shardlens
