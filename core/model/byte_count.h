#pragma once

#include <cstdint>
#include <string>

namespace shardlens {

// Returns a number of bytes as shown to users: "96 B", "1.5 KiB", "16.0 MiB". The largest unit is
// TiB. Numbers below 1024, also negative ones, are shown in bytes.
std::string byteCountText(std::int64_t bytes);

}  // namespace shardlens
