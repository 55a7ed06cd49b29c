#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns the detail of an Operator event in format 1: the names of its input tensors, in order;
// "_" for a tensor without a name.
std::vector<std::string> readOperatorFormat1(std::string_view detail);

}  // namespace shardlens
