#pragma once

#include "app/cli/ink.h"
#include "core/view/tables/table.h"

#include <string>

namespace shardlens::cli {

// Returns a table for a terminal: one line of titles and one per row, each indented by two blanks.
// Each column is as wide as its widest cell, in bytes. Builds all rows. A row must not have more
// cells than the table has columns.
std::string tableText(const view::Table& table, const Ink& ink);

}  // namespace shardlens::cli
