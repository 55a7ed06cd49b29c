#pragma once

#include <cstdint>
#include <string>

namespace shardlens {

// A number of bytes as the command line and the window write it: "96 B", "1.5 KiB", "16.0 MiB".
std::string byteCountText(std::int64_t bytes);

}  // namespace shardlens
