#pragma once

#include "core/query/sql/sql_tables.h"

#include <span>

namespace shardlens {

// A column of a table whose rows are read through a `Row`: a class with a constructor from
// SqlSource, and with size(), read(row) and a static columns(). May have a skip(), see SqlRows.
template <class Row>
struct RowColumn {
  const char* name;
  SqlType type;
  SqlCell (*cell)(const Row& row);
};

// Returns the table of the rows that a `Row` reads.
template <class Row>
SqlTable tableOf(const char* name) {
  class Rows final : public SqlRows {
   public:
    explicit Rows(const SqlSource& source) : row_(source) {}
    std::int64_t size() const override { return row_.size(); }
    std::int64_t skip(std::int64_t row, const std::vector<SqlBound>& bounds) const override {
      if constexpr (requires { row_.skip(row, bounds); }) return row_.skip(row, bounds);
      return row;
    }
    void read(std::int64_t row) override { row_.read(row); }
    SqlCell cell(std::size_t column) const override { return Row::columns()[column].cell(row_); }

   private:
    Row row_;
  };
  SqlTable table{name, {}, [](const SqlSource& source) -> std::unique_ptr<SqlRows> {
                   return std::make_unique<Rows>(source);
                 }};
  for (const auto& column : Row::columns()) table.columns.push_back({column.name, column.type});
  return table;
}

// Returns NULL for 0, which means "unknown" in the field.
inline SqlCell knownOrNull(std::int64_t value) { return value == 0 ? SqlCell() : SqlCell(value); }

inline SqlCell durationOrNull(std::int64_t duration) {
  return duration == Event::kRunning ? SqlCell() : SqlCell(duration);
}

// Cells of rows that have an `event` and a `journal`: a number, and an interned text.
template <auto kMember>
inline constexpr auto kNumber =
    [](const auto& row) -> SqlCell { return std::int64_t{row.event.*kMember}; };
template <auto kMember>
inline constexpr auto kText =
    [](const auto& row) -> SqlCell { return row.journal.text(row.event.*kMember); };

// Return the tables of collectives (one row per collective, one per collective and rank), of
// problems, of the programs of the ranks, of inferred placements, and of the ledgers of gradients.
SqlTable collectivesTable();
SqlTable arrivalsTable();
SqlTable foundProblemsTable();
SqlTable rolesTable();
SqlTable divergencesTable();
SqlTable placementsTable();
SqlTable ledgerRowsTable();

}  // namespace shardlens
