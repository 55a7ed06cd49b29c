#include "core/query/sql/sql_tables.h"

#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

namespace shardlens {

namespace {

void putText(sqlite3_context* into, std::string_view text) {
  sqlite3_result_text64(into, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::string listJson(const std::vector<TensorId>& ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}

enum class RouteEnd { From, To };
// Puts the placements at one end of a route, as in the table `tensors`; NULL without a route.
void putPlacements(const Route& route, RouteEnd end, sqlite3_context* into) {
  if (route.empty()) return sqlite3_result_null(into);
  putText(into, placementsJson(end == RouteEnd::From ? route.front() : route.back()));
}

void putEvent(const Journal& journal, std::int64_t row, int column, sqlite3_context* into) {
  const auto id = static_cast<EventId>(row);
  const Event event = journal.at(id);
  const auto number = [&](std::int64_t value) { sqlite3_result_int64(into, value); };
  switch (column) {
    case 0:
      return number(row);
    case 1:
      return number(event.time);
    case 2:
      return event.duration == Event::kRunning ? sqlite3_result_null(into) : number(event.duration);
    case 3:
      return number(event.bytes);
    case 4:
      return number(event.parent);
    case 5:
      return putText(into, journal.name(event));
    case 6:
      return putText(into, journal.text(event.detail));
    case 7:
      return putText(into, journal.text(event.ranks));
    case 8:
      return number(event.subject);
    case 9:
      return number(event.related);
    case 10:
      return number(event.line);
    case 11:
      return number(stepNumber(event.step));
    case 12:
      return number(event.count);
    case 13:
      return putText(into, kindName(event.kind));
    case 14:
      return putText(into, verdictName(event.verdict));
    case 15:
      return number(event.meshDim);
    case 16:
      return putText(into, listJson(journal.inputs(id)));
    case 17:
      return putText(into, journal.text(event.site));
    case 18:
      return putText(into, journal.text(event.device));
    case 19:
      return putText(into, journal.text(event.group));
    case 20:
      return number(event.sequence);
    case 21:
      return event.exposed == 0 ? sqlite3_result_null(into) : number(event.exposed);
    case 22:
      return putPlacements(journal.route(event.route), RouteEnd::From, into);
    default:
      return putPlacements(journal.route(event.route), RouteEnd::To, into);
  }
}

void putTensor(const Journal& journal, std::int64_t row, int column, sqlite3_context* into) {
  const TensorRecord tensor = journal.tensor(static_cast<TensorId>(row));
  switch (column) {
    case 0:
      return sqlite3_result_int64(into, row);
    case 1:
      return putText(into, tensor.name);
    case 2:
      return putText(into, dtypeName(tensor.dtype));
    case 3:
      return putText(into, shapeJson(tensor.shape));
    case 4:
      return putText(into, placementsJson(tensor.placements));
    default:
      return tensor.mesh ? putText(into, meshJson(*tensor.mesh)) : sqlite3_result_null(into);
  }
}

void putValue(const Journal& journal, std::int64_t row, int column, sqlite3_context* into) {
  const auto value = journal.values().at(static_cast<std::size_t>(row - 1));
  if (!value) return sqlite3_result_null(into);
  const Statistics& statistics = value->statistics;
  switch (column) {
    case 0:
      return sqlite3_result_int64(into, row);
    case 1:
      return sqlite3_result_int64(into, value->event);
    case 2:
      return sqlite3_result_int64(into, value->tensor);
    case 3:
      return sqlite3_result_int(into, value->rank);
    case 4:
      return putText(into, shapeJson(value->shape));
    case 5:
      return sqlite3_result_double(into, statistics.min);
    case 6:
      return sqlite3_result_double(into, statistics.max);
    case 7:
      return sqlite3_result_double(into, statistics.mean);
    case 8:
      return sqlite3_result_int64(into, statistics.nans);
    default:
      return sqlite3_result_int64(into, statistics.zeros);
  }
}

void putBookmark(const Journal& journal, std::int64_t row, int column, sqlite3_context* into) {
  const auto& [event, note] = *std::next(journal.bookmarks().begin(), row - 1);
  return column == 0 ? sqlite3_result_int64(into, event) : putText(into, note);
}

constexpr std::array kTables = {
    SqlTable{"events",
             "id INTEGER, time INTEGER, duration INTEGER, bytes INTEGER, parent INTEGER, name TEXT,"
             " detail TEXT, ranks TEXT, subject INTEGER, related INTEGER, line INTEGER,"
             " step INTEGER, count INTEGER, kind TEXT, verdict TEXT, mesh_dim INTEGER, inputs TEXT,"
             " site TEXT, device TEXT, process_group TEXT, sequence INTEGER,"
             " exposed INTEGER, from_placements TEXT HIDDEN, to_placements TEXT HIDDEN",
             [](const Journal& journal) { return std::int64_t{journal.size()}; }, putEvent},
    SqlTable{"tensors", "id INTEGER, name TEXT, dtype TEXT, shape TEXT, placements TEXT, mesh TEXT",
             [](const Journal& journal) { return std::int64_t{journal.tensors()}; }, putTensor},
    SqlTable{
        "shard_values",
        "id INTEGER, event INTEGER, tensor INTEGER, rank INTEGER, shape TEXT, min REAL,"
        " max REAL, mean REAL, nans INTEGER, zeros INTEGER",
        [](const Journal& journal) { return static_cast<std::int64_t>(journal.values().size()); },
        putValue},
    SqlTable{"bookmarks", "event INTEGER, note TEXT",
             [](const Journal& journal) {
               return static_cast<std::int64_t>(journal.bookmarks().size());
             },
             putBookmark},
};

// SQLite's objects: a Source per registered table, a Table per connection, a Cursor per scan.
struct Source {
  const SqlTable& table;
  const Journal& journal;
};
struct Table : sqlite3_vtab {
  const Source* source = nullptr;
};
struct Cursor : sqlite3_vtab_cursor {
  std::int64_t row = 1;
  std::int64_t last = 0;
};

int connect(sqlite3* database, void* source, int /*argc*/, const char* const* /*argv*/,
            sqlite3_vtab** table, char** /*error*/) {
  auto made = std::make_unique<Table>();
  made->source = static_cast<const Source*>(source);
  const std::string declared = std::string("CREATE TABLE x(") + made->source->table.columns + ")";
  const int code = sqlite3_declare_vtab(database, declared.c_str());
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
  const auto& source = *static_cast<Table*>(table)->source;
  std::string bounds;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char bound = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ   ? '='
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_GT ? '>'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_GE ? '>'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_LT ? '<'
                       : constraint.op == SQLITE_INDEX_CONSTRAINT_LE ? '<'
                                                                     : '\0';
    if (constraint.usable == 0 || constraint.iColumn > 0 || bound == '\0') continue;
    bounds += bound;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(bounds.size());
  }
  const auto rows = static_cast<double>(source.table.rows(source.journal));
  const bool one = bounds.find('=') != std::string::npos;
  info->estimatedCost = one ? 1 : bounds.empty() ? rows : rows / 4;
  info->orderByConsumed = static_cast<int>(info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= 0 &&
                                           info->aOrderBy[0].desc == 0);
  info->idxStr = sqlite3_mprintf("%s", bounds.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int open(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** cursor) {
  *cursor = new Cursor{};
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

// Ignores bounds that are not integers; SQLite checks them.
int filter(sqlite3_vtab_cursor* base, int /*number*/, const char* bounds, int count,
           sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  const auto& source = *static_cast<Table*>(cursor.pVtab)->source;
  cursor.row = 1;
  cursor.last = source.table.rows(source.journal);
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) != SQLITE_INTEGER) continue;
    const std::int64_t value = sqlite3_value_int64(values[i]);
    if (bounds[i] != '<') cursor.row = std::max(cursor.row, value);
    if (bounds[i] != '>') cursor.last = std::min(cursor.last, value);
  }
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

int isAtEnd(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<Cursor*>(base);
  return static_cast<int>(cursor.row > cursor.last);
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* into, int number) {
  const auto& cursor = *static_cast<Cursor*>(base);
  const auto& source = *static_cast<Table*>(cursor.pVtab)->source;
  source.table.put(source.journal, cursor.row, number, into);
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

std::span<const SqlTable> sqlTables() { return kTables; }

int addTable(sqlite3* database, const SqlTable& table, const Journal& journal) {
  return sqlite3_create_module_v2(database, table.name, &kModule, new Source{table, journal},
                                  [](void* source) { delete static_cast<Source*>(source); });
}

}  // namespace shardlens
