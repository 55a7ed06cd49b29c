#pragma once

#include <string>
#include <string_view>

namespace shardlens {

// Under what a recording's meta has the text of a file of the user's program, which sites name.
inline std::string sourceKey(std::string_view file) { return "source:" + std::string(file); }

}  // namespace shardlens
