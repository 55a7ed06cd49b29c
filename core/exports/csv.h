#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <iosfwd>
#include <span>
#include <string_view>

namespace shardlens {

// A table that can be written as CSV: a table of core/query/sql/sql.h, or one that the window
// shows.
struct CsvTable {
  std::string_view name;
  std::string_view what;  // one-line description for help texts
  bool isOfPosition;      // depends on the position; false: covers the whole recording
  Result<void> (*write)(const Journal& journal, EventId position, view::Notation notation,
                        std::ostream& out);
};
// Returns all tables, in a fixed order. The span is valid for the life of the program.
std::span<const CsvTable> csvTables();

// Writes the table with this name as RFC 4180 CSV, with a header line. `position` is used only if
// the table isOfPosition. Texts that a spreadsheet would compute, such as "=1+2", get an apostrophe
// in front. Returns an error that lists the valid names if `table` is unknown.
Result<void> writeCsv(const Journal& journal, std::string_view table, EventId position,
                      std::ostream& out, view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
