#include "core/query/sql/sqlite_table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
  std::vector<SqlBound> bounds = {};  // of other columns than the row number
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

// The operators of bounds, as they are listed in `idxStr`.
std::optional<char> signOf(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
      return 'g';
    case SQLITE_INDEX_CONSTRAINT_LT:
      return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
      return 'l';
    default:
      return std::nullopt;
  }
}
SqlBound::Relation relationOf(char sign) {
  using enum SqlBound::Relation;
  return sign == '='   ? Is
         : sign == '>' ? More
         : sign == 'g' ? AtLeast
         : sign == '<' ? Less
                       : AtMost;
}

// Returns true if SqlBound compares the column as SQLite does.
bool isComparable(sqlite3_index_info* info, int constraint, SqlType type, char sign) {
  if (type == SqlType::Integer) return true;
  const bool isText = type == SqlType::Text || type == SqlType::HiddenText;
  return isText && sign == '=' &&
         std::string_view(sqlite3_vtab_collation(info, constraint)) == "BINARY";
}

// Uses bounds on integers and texts. Lists in `idxStr` the operator and column of each; the column
// -1 is the row number. SQLite checks these and all other constraints again.
int plan(sqlite3_vtab* table, sqlite3_index_info* info) {
  const auto& columns = static_cast<Table*>(table)->source->table.columns;
  const auto isNumber = [&](int column) {
    return column < 0 || columns[static_cast<std::size_t>(column)].type == SqlType::RowNumber;
  };
  std::string bounds;
  int count = 0;
  bool isOne = false, hasRows = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const auto sign = signOf(constraint.op);
    if (constraint.usable == 0 || !sign) continue;
    const bool isRow = isNumber(constraint.iColumn);
    if (!isRow) {
      const SqlType type = columns[static_cast<std::size_t>(constraint.iColumn)].type;
      if (!isComparable(info, i, type, *sign)) continue;
    }
    bounds += *sign + std::to_string(isRow ? -1 : constraint.iColumn) + ' ';
    info->aConstraintUsage[i].argvIndex = ++count;
    hasRows |= isRow;
    isOne |= isRow && *sign == '=';
  }
  // Enough to prefer a bound on the row number; counting the rows may require to read the journal.
  constexpr double kRows = 1e6;
  info->estimatedCost = isOne ? 1 : hasRows ? kRows / 4 : kRows;
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

// Moves to the first row, from the current one on, that satisfies the bounds.
void findRow(Cursor& cursor) {
  const auto isAllowed = [&](const SqlBound& bound) {
    return bound.allows(cursor.rows->cell(bound.column));
  };
  for (;; ++cursor.row) {
    cursor.row = cursor.rows->skip(cursor.row, cursor.bounds);
    if (cursor.row > cursor.last) return;
    cursor.rows->read(cursor.row);
    if (std::ranges::all_of(cursor.bounds, isAllowed)) return;
  }
}

// Ignores values of other types than that of their column; SQLite checks them.
int filter(sqlite3_vtab_cursor* base, int /*number*/, const char* listed, int count,
           sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  const auto& columns = static_cast<Table*>(base->pVtab)->source->table.columns;
  cursor.row = 1;
  cursor.last = cursor.rows->size();
  cursor.bounds.clear();
  std::istringstream bounds(listed);
  for (int i = 0; i < count; ++i) {
    char sign = 0;
    int column = 0;
    bounds >> sign >> column;
    const int type = sqlite3_value_type(values[i]);
    if (column >= 0 && columns[static_cast<std::size_t>(column)].type != SqlType::Integer) {
      if (type != SQLITE_TEXT) continue;
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
      const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[i]));
      cursor.bounds.push_back(
          {static_cast<std::size_t>(column), SqlBound::Relation::Is, std::string(text, size)});
      continue;
    }
    if (type != SQLITE_INTEGER) continue;
    const std::int64_t value = sqlite3_value_int64(values[i]);
    if (column >= 0) {
      cursor.bounds.push_back({static_cast<std::size_t>(column), relationOf(sign), value});
      continue;
    }
    if (sign != '<' && sign != 'l') cursor.row = std::max(cursor.row, value);
    if (sign != '>' && sign != 'g') cursor.last = std::min(cursor.last, value);
  }
  findRow(cursor);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<Cursor*>(base);
  ++cursor.row;
  findRow(cursor);
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
