#pragma once

#include "core/query/sql/sql_tables.h"

#include <sqlite3.h>

namespace shardlens {

// Registers the table with a connection, as a virtual table whose rows are read on demand. `table`
// and `source` must outlive the connection. Returns an SQLite result code.
int addTable(sqlite3* database, const SqlTable& table, const SqlSource& source);

}  // namespace shardlens
