#pragma once

#include "core/model/event.h"
#include "core/view/tone.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

enum class Align : std::uint8_t { Left, Right };

struct Column {
  std::string title;
  Align align = Align::Left;
  // Its texts may begin alike, so that a short place shows where they differ.
  bool beginsAlike = false;
  bool operator==(const Column&) const = default;
};

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
  std::optional<double> number = {};  // to sort by, where the text is one
  std::string icon = {};              // before the text: its name in resources/icons
  bool operator==(const Cell&) const = default;
};

struct Row {
  std::vector<Cell> cells;   // missing ones at the end are empty
  std::string tooltip = {};  // what the cells have no room for
  EventId event = 0;         // that explains it; 0: none
  bool marked = false;       // the chosen one, the current one
  bool operator==(const Row&) const = default;
};

// The rows of a table. Those of a long one are built when they are asked for, so that it costs what
// is seen of it.
class Rows {
 public:
  // How one comes to the rows of a long table.
  struct Source {
    std::size_t size = 0;
    std::function<Row(std::size_t)> at = {};
    std::optional<std::size_t> marked = {};   // the one that is
    std::vector<std::uint64_t> version = {};  // as long as it is the same, so are the rows
  };

  Rows() = default;
  // Of rows that are there already.
  Rows(std::vector<Row> all);  // NOLINT(google-explicit-constructor): as good as the vector
  Rows(std::initializer_list<Row> all) : Rows(std::vector<Row>(all)) {}
  explicit Rows(Source source) : source_(std::move(source)) {}

  std::size_t size() const { return source_.size; }
  bool empty() const { return size() == 0; }
  Row operator[](std::size_t place) const;
  std::optional<std::size_t> marked() const { return source_.marked; }  // the first that is
  std::vector<Row> all() const;

  bool operator==(const Rows& other) const;

 private:
  Source source_;
  std::shared_ptr<const std::vector<Row>> kept_;  // null: they are built
};

// What the command line prints and the window shows in columns.
struct Table {
  std::vector<Column> columns;
  Rows rows;
  bool operator==(const Table&) const = default;
};

}  // namespace shardlens::view
