#pragma once

#include "core/trace/journal/journal.h"

#include <sqlite3.h>

#include <cstdint>
#include <span>

namespace shardlens {

// A table that SQL finds rows of a journal in, numbered from 1, without a copy of them.
struct SqlTable {
  const char* name;
  const char* columns;  // the first is the row's number
  std::int64_t (*rows)(const Journal& journal);
  void (*put)(const Journal& journal, std::int64_t row, int column, sqlite3_context* into);
};

// events, tensors, shard_values: with the columns that FORMAT.md says, texts instead of their ids.
std::span<const SqlTable> sqlTables();

// Makes the table known to this connection; the journal must outlive it. An SQLite result code.
int addTable(sqlite3* database, const SqlTable& table, const Journal& journal);

}  // namespace shardlens
