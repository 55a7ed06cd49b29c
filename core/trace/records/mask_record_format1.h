#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns the detail of a mask event in format 1: the names of all holders of the buffer after the
// event.
std::vector<std::string> readHoldersFormat1(std::string_view detail);

}  // namespace shardlens
