#pragma once

#include "core/model/event.h"
#include "core/view/tone.h"

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
  bool operator==(const Cell&) const = default;
};

struct Row {
  std::vector<Cell> cells;   // missing ones at the end are empty
  std::string tooltip = {};  // what the cells have no room for
  EventId event = 0;         // that explains it; 0: none
  bool marked = false;       // the chosen one, the current one
  bool operator==(const Row&) const = default;
};

// What the command line prints and the window shows in columns.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool operator==(const Table&) const = default;
};

}  // namespace shardlens::view
