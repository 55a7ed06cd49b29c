#pragma once

#include "core/imports/input/byte_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Reads a text line by line, without line ends (LF or CRLF). Truncates lines after 1 MiB.
class LineReader {
 public:
  explicit LineReader(ByteSource& source) : source_(source), buffer_(kBuffer) {}

  // Returns the next line, valid until the next call; nullopt at the end.
  std::optional<std::string_view> next();
  // Returns the number of the last line, from 1: "line 3".
  std::string where() const { return "line " + std::to_string(number_); }

 private:
  static constexpr std::size_t kBuffer = std::size_t{64} << 10;
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, size_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
};

}  // namespace shardlens
