#pragma once

#include <cstddef>
#include <string_view>

namespace shardlens {

// Returns the position just past the JSON comment that begins at `at`. For a // comment this is its
// line end: '\n' or '\r', because the JSON parser ends it at either. An unterminated comment ends
// with the text. Requires "//" or "/*" at `at`.
inline std::size_t afterComment(std::string_view text, std::size_t at) {
  const bool toLineEnd = text.substr(at, 2) == "//";
  const std::size_t end = toLineEnd ? text.find_first_of("\n\r", at) : text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + (toLineEnd ? 0 : 2);
}

}  // namespace shardlens
