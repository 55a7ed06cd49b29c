#include "tests/view/table_text.h"

namespace shardlens {

std::string tableText(const view::Table& table) {
  std::string text;
  for (const auto& row : table.rows.all()) {
    std::string line = row.marked ? "* " : "";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line += (i == 0 ? "" : " | ") + row.cells[i].text;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace shardlens
