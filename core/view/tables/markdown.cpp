#include "core/view/tables/markdown.h"

#include "core/view/words/names.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

std::string line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const auto& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

}  // namespace

std::string plain(std::string_view text) {
  std::string shown;
  for (const char letter : truncated(text)) {
    if (std::string_view("\\`*_[<#|~&").find(letter) != std::string_view::npos) shown += '\\';
    shown += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return shown;
}

MarkdownTable::MarkdownTable(const std::vector<Column>& columns) {
  std::vector<std::string> titles, rules;
  for (const auto& column : columns) {
    titles.push_back(column.title);
    rules.emplace_back(column.align == Align::Right ? "---:" : "---");
  }
  text_ = line(titles) + line(rules);
}

void MarkdownTable::add(const std::vector<std::string>& cells) {
  if (++rows_ <= kMostRows) text_ += line(cells);
}

std::string MarkdownTable::text() const {
  if (rows_ <= kMostRows) return text_ + "\n";
  return text_ + fmt::format("\nand {} more\n\n", rows_ - kMostRows);
}

std::string tableMarkdown(const Table& table) {
  MarkdownTable shown(table.columns);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> cells;
    if (i < MarkdownTable::kMostRows) {
      for (const auto& cell : table.rows[i].cells) {
        cells.push_back(plain(cell.text) + (cell.below.empty() ? "" : "; " + plain(cell.below)));
      }
    }
    shown.add(cells);
  }
  return shown.text();
}

}  // namespace shardlens::view
