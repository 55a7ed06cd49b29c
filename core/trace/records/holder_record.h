#pragma once

#include <string>
#include <string_view>

namespace shardlens {

// The detail of a MaskMaterialized event: the name of the tensor that will hold the buffer. A name,
// because the buffer is held before the tensor exists. readHolder() returns "" if there is none.
std::string holderDetail(std::string_view name);
std::string readHolder(std::string_view detail);

}  // namespace shardlens
