#pragma once

#include "core/model/event.h"
#include "core/view/words/tone.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

enum class Align : std::uint8_t { Left, Right };

// A table column.
struct Column {
  std::string title;
  Align align = Align::Left;
  // The texts may share a prefix. A narrow column should then elide the beginning.
  bool beginsAlike = false;
  bool operator==(const Column&) const = default;
};

// A table cell.
struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
  std::optional<double> number = {};  // sort key for numeric cells
  std::string icon = {};              // name in resources/icons, shown before the text
  std::string below = {};             // a second line, in smaller type
  bool operator==(const Cell&) const = default;
};

// A table row.
struct Row {
  std::vector<Cell> cells;   // missing trailing cells are empty
  std::string tooltip = {};  // full text of truncated cells
  EventId event = 0;         // event that the row refers to; 0: none
  bool marked = false;       // chosen or current row
  bool operator==(const Row&) const = default;
};

// The rows of a table: a stored list, or a source that builds rows on access, so that long tables
// cost only what is shown. Copies are cheap.
class Rows {
 public:
  // A source of rows built on access. `at` must stay callable as long as the rows exist.
  struct Source {
    std::size_t size = 0;
    std::function<Row(std::size_t)> at = {};
    std::optional<std::size_t> marked = {};   // index of the marked row; overrides Row::marked
    std::vector<std::uint64_t> version = {};  // equal versions mean equal rows
  };

  Rows() = default;
  // Stores a list. Its first marked row becomes marked().
  Rows(std::vector<Row> all);  // NOLINT(google-explicit-constructor): as good as the vector
  Rows(std::initializer_list<Row> all) : Rows(std::vector<Row>(all)) {}
  explicit Rows(Source source) : source_(std::move(source)) {}

  std::size_t size() const { return source_.size; }
  bool empty() const { return size() == 0; }
  // Returns row `place`, which must be below size(). A source builds it again on each call.
  Row operator[](std::size_t place) const;
  // Index of the first marked row; nullopt if none is marked.
  std::optional<std::size_t> marked() const { return source_.marked; }
  // Builds all rows.
  std::vector<Row> all() const;

  // Stored rows compare by value, sources by size, marked row and version. All empty lists are
  // equal. A stored list never equals a source.
  bool operator==(const Rows& other) const;

 private:
  Source source_;
  std::shared_ptr<const std::vector<Row>> kept_;  // null: rows come from source_
};

// A table for the command line and the window.
struct Table {
  std::vector<Column> columns;
  Rows rows;
  bool operator==(const Table&) const = default;
};

}  // namespace shardlens::view
