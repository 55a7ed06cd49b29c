#pragma once

#include "core/view/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// Text that GitHub shows as it is, in a cell of a table too.
std::string plain(std::string_view text);

// A table whose cells are Markdown already. Of many rows it has the first, and says how many more
// there are.
class MarkdownTable {
 public:
  static constexpr std::size_t kMostRows = 50;

  explicit MarkdownTable(const std::vector<Column>& columns);
  void add(const std::vector<std::string>& cells);
  std::string text() const;
  bool empty() const { return rows_ == 0; }

 private:
  std::string text_;
  std::size_t rows_ = 0;
};

// A table whose cells are text. It builds no row that it leaves out.
std::string tableMarkdown(const Table& table);

}  // namespace shardlens::view
