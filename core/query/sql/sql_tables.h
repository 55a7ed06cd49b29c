#pragma once

#include "core/query/problems/problems.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlens {

// What the tables are computed from. The journal must outlive what reads the tables.
struct SqlSource {
  const Journal& journal;
  // For the table `problems`:
  std::vector<int> lost = {};  // ranks whose process died
  RunState run = RunState::Ended;
};
SqlSource sqlSourceOf(TraceReader& reader);

// The value of a cell; monostate is NULL. A string_view is valid until the next SqlRows::read().
using SqlCell = std::variant<std::monostate, std::int64_t, double, std::string_view, std::string>;

// A condition of a scan: the cell of a column, compared with an integer or, for Is, with a text.
struct SqlBound {
  enum class Relation : std::uint8_t { Is, More, AtLeast, Less, AtMost };

  std::size_t column = 0;  // an index into SqlTable::columns
  Relation relation = Relation::Is;
  std::variant<std::int64_t, std::string> value;

  // NULL, and a cell of another type than the value, satisfy no bound.
  bool allows(const SqlCell& cell) const;
};

// Reads the rows of a table one at a time, in order of their numbers or in any other order. Not
// thread-safe; several readers of one table are independent.
class SqlRows {
 public:
  SqlRows() = default;
  virtual ~SqlRows() = default;
  SqlRows(const SqlRows&) = delete;
  SqlRows& operator=(const SqlRows&) = delete;

  virtual std::int64_t size() const = 0;
  // Returns the first row, from `row` on, that may satisfy all bounds; any number above size() if
  // there is none. Does not move.
  virtual std::int64_t skip(std::int64_t row, const std::vector<SqlBound>& bounds) const;
  // Moves to a row. Rows are numbered from 1 to size().
  virtual void read(std::int64_t row) = 0;
  // Returns a cell of the row that was read last. `column` is an index into SqlTable::columns.
  virtual SqlCell cell(std::size_t column) const = 0;
};

enum class SqlType : std::uint8_t {
  RowNumber,  // an integer that equals the number of the row
  Integer,
  Real,
  Text,
  HiddenText,  // `SELECT *` leaves it out
};

struct SqlColumn {
  std::string name;
  SqlType type;
};

// A table that SQL queries and Parquet exports show, computed from a journal.
struct SqlTable {
  std::string name;
  std::vector<SqlColumn> columns;
  std::function<std::unique_ptr<SqlRows>(const SqlSource& source)> open;
};

// Returns all tables: events, collectives, arrivals, tensors, shard_values, problems, roles,
// divergences, placements, ledger, bookmarks and meta, with the columns of FORMAT.md. Text ids are
// replaced by the texts.
const std::vector<SqlTable>& sqlTables();

}  // namespace shardlens
