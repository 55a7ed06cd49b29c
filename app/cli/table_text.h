#pragma once

#include "app/cli/ink.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::cli {

// A table for a terminal: a line of titles and one a row. Each column is as wide as its widest
// cell.
std::string tableText(const view::Table& table, const Ink& ink);

}  // namespace shardlens::cli
