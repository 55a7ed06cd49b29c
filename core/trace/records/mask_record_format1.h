#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What the detail of a mask event says in a recording of format 1: the names of all who hold the
// buffer after it.
std::vector<std::string> readHoldersFormat1(std::string_view detail);

}  // namespace shardlens
