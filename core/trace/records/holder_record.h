#pragma once

#include <string>
#include <string_view>

namespace shardlens {

// What the detail of a MaskMaterialized event says: the name of the tensor that holds the buffer
// now. It is a name because the buffer is held before that tensor is there.
std::string holderDetail(std::string_view name);
std::string readHolder(std::string_view detail);

}  // namespace shardlens
