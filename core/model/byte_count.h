#pragma once

#include <cstdint>
#include <string>

namespace shardlens {

// Returns a number of bytes as shown to users: "96 B", "1.5 KiB", "16.0 MiB". The largest unit is
// TiB.
std::string byteCountText(std::int64_t bytes);

}  // namespace shardlens
