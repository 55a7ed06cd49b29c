#pragma once

#include "core/trace/journal/journal.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// Returns the text for an empty list. For an imported recording, says that the dump records no such
// `things` ("tensors") up to here, which does not mean that there were none. For other recordings,
// returns `otherwise`.
std::string noneText(const Journal& journal, std::string_view things, std::string_view otherwise);

}  // namespace shardlens::view
