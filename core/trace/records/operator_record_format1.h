#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What the detail of an Operator event says in a recording of format 1: the names of the tensors it
// was called with, in order; "_" of one without a name.
std::vector<std::string> readOperatorFormat1(std::string_view detail);

}  // namespace shardlens
