#pragma once

#include "core/imports/input/byte_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A text line by line, without their ends. Of a line of more than 1 MiB it gives the beginning.
class LineReader {
 public:
  explicit LineReader(ByteSource& source) : source_(source), buffer_(kBuffer) {}

  std::optional<std::string_view> next();  // good until the next call
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
