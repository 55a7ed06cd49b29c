#include "app/cli/table_text.h"

#include <algorithm>

namespace shardlens::cli {

std::string tableText(const view::Table& table, const Ink& ink) {
  std::vector<std::size_t> widths;
  for (const auto& column : table.columns) widths.push_back(column.title.size());
  const auto rows = table.rows.all();
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].text.size());
    }
  }
  std::string line;
  const auto add = [&](std::size_t i, const std::string& text) {
    const bool last = i + 1 == widths.size();
    line += text + std::string(last ? 0 : widths[i] - text.size() + 2, ' ');
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) add(i, table.columns[i].title);
  std::string text = ink.dim("  " + line) + '\n';
  for (const auto& row : rows) {
    line = "  ";
    for (std::size_t i = 0; i < row.cells.size(); ++i) add(i, row.cells[i].text);
    text += line + '\n';
  }
  return text;
}

}  // namespace shardlens::cli
