#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::cli {

// Breaks the text between words into lines of at most `width` bytes. A longer word gets its own
// line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace shardlens::cli
