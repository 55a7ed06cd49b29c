#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::cli {

// The text broken between words into lines of at most this many bytes; a longer word has its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace shardlens::cli
