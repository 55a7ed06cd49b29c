#pragma once

#include "core/view/tables/table.h"

#include <string>

namespace shardlens {

// Returns a table as text: one line per row, cells separated by " | ". Marked rows begin with "* ".
std::string tableText(const view::Table& table);

}  // namespace shardlens
