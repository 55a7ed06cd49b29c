#include "core/query/sql/sql.h"

#include "core/base/check.h"
#include "core/query/sql/sqlite_table.h"

#include <memory>
#include <utility>

namespace shardlens {

namespace {

using nlohmann::json;

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

json cellOf(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(row, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, column);
    case SQLITE_NULL:
      return nullptr;
    default:
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
  }
}

}  // namespace

Sql::Sql(SqlSource source, const std::vector<SqlTable>& tables) : source_(std::move(source)) {
  SL_CHECK(sqlite3_open(":memory:", &database_) == SQLITE_OK, "SQLite opens a memory");
  for (const SqlTable& table : tables) {
    SL_CHECK(addTable(database_, table, source_) == SQLITE_OK, "SQLite takes a table");
  }
  // Forbid ATTACH, so that queries read no other files.
  sqlite3_limit(database_, SQLITE_LIMIT_ATTACHED, 0);
}

Sql::~Sql() { sqlite3_close(database_); }

Result<std::vector<std::string>> Sql::query(std::string_view select,
                                            const std::function<void(const SqlRow&)>& take) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(database_, select.data(), static_cast<int>(select.size()), &made, &rest);
  const Statement statement(made);
  if (code != SQLITE_OK) {
    const int at = sqlite3_error_offset(database_);
    return fail("SQL: " + std::string(sqlite3_errmsg(database_)) +
                (at < 0 ? std::string() : ", at character " + std::to_string(at + 1)));
  }
  const std::string_view left(rest, select.data() + select.size() - rest);
  if (made == nullptr || sqlite3_stmt_readonly(made) == 0 || sqlite3_column_count(made) == 0) {
    return fail("SQL: expected a SELECT, got " + std::string(select));
  }
  if (left.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return fail("SQL: expected one SELECT, got more: " + std::string(left));
  }
  SqlRow row(static_cast<std::size_t>(sqlite3_column_count(made)));
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i].first = columns.emplace_back(sqlite3_column_name(made, static_cast<int>(i)));
  }
  int step = sqlite3_step(made);
  for (; step == SQLITE_ROW; step = sqlite3_step(made)) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i].second = cellOf(made, static_cast<int>(i));
    take(row);
  }
  if (step != SQLITE_DONE) return fail("SQL: " + std::string(sqlite3_errmsg(database_)));
  return columns;
}

}  // namespace shardlens
