#pragma once

#include <string>
#include <string_view>

namespace shardlens {

// Returns the metadata key under which a recording stores the text of a source file of the program.
// Sites refer to these files.
inline std::string sourceKey(std::string_view file) { return "source:" + std::string(file); }

}  // namespace shardlens
