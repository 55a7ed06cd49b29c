#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>
#include <span>
#include <string_view>

namespace shardlens {

// What can be written as CSV: the tables that SQL has, whole, and those of the window.
struct CsvTable {
  std::string_view name;
  std::string_view what;
  bool isOfPosition;  // it says what is so at a position; else it has all of the recording
  Result<void> (*write)(const Journal& journal, EventId position, std::ostream& out);
};
std::span<const CsvTable> csvTables();

// Writes a table as RFC 4180 has it, a line of headings first. Refuses a name that is none.
Result<void> writeCsv(const Journal& journal, std::string_view table, EventId position,
                      std::ostream& out);

}  // namespace shardlens
