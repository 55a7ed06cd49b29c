#pragma once

#include <cstddef>
#include <string_view>

namespace shardlens {

// Where a comment of a JSON text ends that begins here, of one line before the line's end. For the
// parser a carriage return ends a line, too.
inline std::size_t afterComment(std::string_view text, std::size_t at) {
  const bool toLineEnd = text.substr(at, 2) == "//";
  const std::size_t end = toLineEnd ? text.find_first_of("\n\r", at) : text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + (toLineEnd ? 0 : 2);
}

}  // namespace shardlens
