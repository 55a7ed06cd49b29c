#pragma once

#include "core/base/result.h"
#include "core/query/sql/sql_tables.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace shardlens {

// A row of a result: pairs of column name and value (number, text or null).
using SqlRow = std::vector<std::pair<std::string, nlohmann::json>>;

// Runs SQL on a journal through SQLite virtual tables, see sqlTables(). The cost of a query depends
// on the rows that it reads; a scan of `problems` searches for them. Keeps a reference to the
// journal. Not thread-safe.
class Sql {
 public:
  // `tables` must outlive this object.
  explicit Sql(SqlSource source, const std::vector<SqlTable>& tables = sqlTables());
  ~Sql();
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // Runs one SELECT. Calls `take` per row; the row is reused and valid only during the call. Blobs
  // come as text. Returns the column names, also for zero rows. Returns an error for invalid SQL,
  // several statements, and statements that write or return no columns. An exception of `take`
  // passes to the caller.
  Result<std::vector<std::string>> query(std::string_view select,
                                         const std::function<void(const SqlRow&)>& take);

 private:
  SqlSource source_;
  sqlite3* database_ = nullptr;
};

}  // namespace shardlens
