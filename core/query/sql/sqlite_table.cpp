#include "core/query/sql/sqlite_table.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace shardlens {
namespace {

// SQLite's objects: a Source per registered table, a Table per connection, a Cursor per scan.
struct Source {
  const SqlTable& table;
  const SqlSource& rows;
};
struct Table : sqlite3_vtab {
  const Source* source = nullptr;
};
struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<SqlRows> rows;
  std::int64_t row = 1;
  std::int64_t last = 0;
};

void putText(sqlite3_context* into, std::string_view text) {
  sqlite3_result_text64(into, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

struct PutCell {
  void operator()(std::monostate /*null*/) const { sqlite3_result_null(into); }
  void operator()(std::int64_t number) const { sqlite3_result_int64(into, number); }
  void operator()(double number) const { sqlite3_result_double(into, number); }
  void operator()(std::string_view text) const { putText(into, text); }
  void operator()(const std::string& text) const { putText(into, text); }

  sqlite3_context* into;
};

std::string definition(const SqlColumn& column) {
  switch (column.type) {
    case SqlType::RowNumber:
    case SqlType::Integer:
      return column.name + " INTEGER";
    case SqlType::Real:
      return column.name + " REAL";
    case SqlType::Text:
      return column.name + " TEXT";
    case SqlType::HiddenText:
      break;
  }
  return column.name + " TEXT HIDDEN";
}

int connect(sqlite3* database, void* source, int /*argc*/, const char* const* /*argv*/,
            sqlite3_vtab** table, char** /*error*/) {
  auto made = std::make_unique<Table>();
  made->source = static_cast<const Source*>(source);
  std::string declared;
  for (const SqlColumn& column : made->source->table.columns) {
    declared += (declared.empty() ? "CREATE TABLE x(" : ", ") + definition(column);
  }
  const int code = sqlite3_declare_vtab(database, (declared + ")").c_str());
  if (code == SQLITE_OK) *table = made.release();
  return code;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// Uses bounds on the row number and lists their operators in `idxStr`. SQLite checks all other
// constraints, and these again.
int plan(sqlite3_vtab* table, sqlite3_index_info* info) {
  const auto& columns = static_cast<Table*>(table)->source->table.columns;
  const auto isNumber = [&](int column) {
    return column < 0 || columns[static_cast<std::size_t>(column)].type == SqlType::RowNumber;
  };
  std::string bounds;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char bound = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ   ? '='
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_GT ? '>'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_GE ? '>'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_LT ? '<'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_LE ? '<'
                                                                     : '\0';
    if (constraint.usable == 0 || !isNumber(constraint.iColumn) || bound == '\0') continue;
    bounds += bound;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(bounds.size());
  }
  // Enough to prefer a bound on the row number; counting the rows may require to read the journal.
  constexpr double kRows = 1e6;
  const bool one = bounds.find('=') != std::string::npos;
  info->estimatedCost = one ? 1 : bounds.empty() ? kRows : kRows / 4;
  info->orderByConsumed = static_cast<int>(
      info->nOrderBy == 1 && isNumber(info->aOrderBy[0].iColumn) && info->aOrderBy[0].desc == 0);
  info->idxStr = sqlite3_mprintf("%s", bounds.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  const auto& source = *static_cast<Table*>(table)->source;
  auto made = std::make_unique<Cursor>();
  made->rows = source.table.open(source.rows);
  *cursor = made.release();
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

void readRow(Cursor& cursor) {
  if (cursor.row <= cursor.last) cursor.rows->read(cursor.row);
}

// Ignores bounds that are not integers; SQLite checks them.
int filter(sqlite3_vtab_cursor* base, int /*number*/, const char* bounds, int count,
           sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  cursor.row = 1;
  cursor.last = cursor.rows->size();
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) != SQLITE_INTEGER) continue;
    const std::int64_t value = sqlite3_value_int64(values[i]);
    if (bounds[i] != '<') cursor.row = std::max(cursor.row, value);
    if (bounds[i] != '>') cursor.last = std::min(cursor.last, value);
  }
  readRow(cursor);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<Cursor*>(base);
  ++cursor.row;
  readRow(cursor);
  return SQLITE_OK;
}

int isAtEnd(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<Cursor*>(base);
  return static_cast<int>(cursor.row > cursor.last);
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* into, int number) {
  const auto& rows = *static_cast<Cursor*>(base)->rows;
  std::visit(PutCell{into}, rows.cell(static_cast<std::size_t>(number)));
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* into) {
  *into = static_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

// Without xCreate, the table is eponymous: it exists once its module is registered.
constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = plan;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = isAtEnd;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}();

}  // namespace

int addTable(sqlite3* database, const SqlTable& table, const SqlSource& source) {
  return sqlite3_create_module_v2(database, table.name.c_str(), &kModule, new Source{table, source},
                                  [](void* source) { delete static_cast<Source*>(source); });
}

}  // namespace shardlens
