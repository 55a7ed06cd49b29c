#pragma once

#include "app/cli/ink.h"
#include "core/view/tables/table.h"

#include <string>

namespace shardlens::cli {

// Returns a table for a terminal: one line of titles and one per row. Each column is as wide as its
// widest cell, in bytes.
std::string tableText(const view::Table& table, const Ink& ink);

}  // namespace shardlens::cli
