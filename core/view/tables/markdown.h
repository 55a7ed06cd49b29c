#pragma once

#include "core/view/tables/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// Escapes text for GitHub Markdown, including table cells. Line breaks become blanks; long text is
// truncated.
std::string plain(std::string_view text);

// Builds a Markdown table. Shows the first kMostRows rows and the number of omitted ones.
class MarkdownTable {
 public:
  static constexpr std::size_t kMostRows = 50;

  explicit MarkdownTable(const std::vector<Column>& columns);
  // Adds a row of Markdown cells (already escaped).
  void add(const std::vector<std::string>& cells);
  // Returns the table, followed by a blank line.
  std::string text() const;
  bool empty() const { return rows_ == 0; }

 private:
  std::string text_;
  std::size_t rows_ = 0;
};

// Returns the table as Markdown; cells are escaped. Does not build the omitted rows.
std::string tableMarkdown(const Table& table);

}  // namespace shardlens::view
