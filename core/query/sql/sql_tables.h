#pragma once

#include "core/trace/journal/journal.h"

#include <sqlite3.h>

#include <cstdint>
#include <span>

namespace shardlens {

// A virtual table over a journal. Rows are numbered from 1 and computed on access.
struct SqlTable {
  const char* name;
  const char* columns;  // SQL column definitions; the first must be the row number
  std::int64_t (*rows)(const Journal& journal);  // number of rows
  // Sets `into` to the value of a cell.
  void (*put)(const Journal& journal, std::int64_t row, int column, sqlite3_context* into);
};

// Returns the tables events, tensors, shard_values and bookmarks, with the columns of FORMAT.md.
// Text ids are replaced by the texts.
std::span<const SqlTable> sqlTables();

// Registers the table with a connection. The journal must outlive the connection. Returns an SQLite
// result code.
int addTable(sqlite3* database, const SqlTable& table, const Journal& journal);

}  // namespace shardlens
