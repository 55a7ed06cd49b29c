#pragma once

#include "core/query/problems/problems.h"

#include <cstdint>
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

// Reads the rows of a table one at a time, in order of their numbers or in any other order. Not
// thread-safe; several readers of one table are independent.
class SqlRows {
 public:
  SqlRows() = default;
  virtual ~SqlRows() = default;
  SqlRows(const SqlRows&) = delete;
  SqlRows& operator=(const SqlRows&) = delete;

  virtual std::int64_t size() const = 0;
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
  std::unique_ptr<SqlRows> (*open)(const SqlSource& source);
};

// Returns all tables: events, collectives, arrivals, tensors, shard_values, problems, roles,
// divergences, placements, ledger, bookmarks and meta, with the columns of FORMAT.md. Text ids are
// replaced by the texts.
const std::vector<SqlTable>& sqlTables();

}  // namespace shardlens
