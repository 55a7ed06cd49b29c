#pragma once

#include "core/trace/journal/journal.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// What is said where there is nothing to show: of another tool's dump, that up to here it tells of
// no such things ("tensors"), which is not that there are none; of a recording `otherwise`.
std::string noneText(const Journal& journal, std::string_view things, std::string_view otherwise);

}  // namespace shardlens::view
