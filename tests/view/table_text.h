#pragma once

#include "core/view/table.h"

#include <string>

namespace shardlens {

// A table as text: a line a row, cells parted by " | ", a marked row with a star before it.
std::string tableText(const view::Table& table);

}  // namespace shardlens
