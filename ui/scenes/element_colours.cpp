#include "ui/scenes/element_colours.h"

#include "core/model/spec.h"
#include "ui/scenes/colour.h"

#include <algorithm>

namespace shardlens {
namespace {

double share(std::int64_t index, std::int64_t count) {
  return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.0;
}

// Returns the indices of all dimensions but the last: "1,0".
QString rowText(const Shape& at) {
  QString text = QString::number(at[0]);
  for (std::size_t dim = 1; dim + 1 < at.size(); ++dim) {
    text += u',' + QString::number(at[dim]);
  }
  return text;
}

constexpr double kVector = 0.4;  // the lightness share of all elements of a vector

}  // namespace

QColor ElementColours::ofTable(std::int64_t row, std::int64_t column, std::int64_t columns) const {
  const auto rows = view_.origin->table[static_cast<std::size_t>(view_.origin->dim)];
  return elementColour(row, rows, share(column, columns), dark_);
}

QColor ElementColours::ofFetched(std::int64_t row) const {
  const FetchedTable& table = *view_.fetches;
  return elementColour(row, table.shape[static_cast<std::size_t>(table.dim)], kVector, dark_);
}

// All dimensions but the last determine the hue. The elements of a vector differ in hue only.
QColor ElementColours::ofTensor(const Shape& global) const {
  const Shape& shape = view_.record->shape;
  if (shape.empty() || global.size() != shape.size()) {  // a scalar, or the index is unknown
    return elementColour(4, 7, 0.3, dark_);
  }
  if (shape.size() == 1) {
    return elementColour(global[0], shape[0], kVector, dark_);
  }
  std::int64_t row = 0;
  std::int64_t rows = 1;
  for (std::size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    row = row * shape[dim] + global[dim];
    rows *= shape[dim];
  }
  return elementColour(row, rows, share(global.back(), shape.back()), dark_);
}

// Sets `at` to the global index. Returns false if it is unknown; then `at` is the local index.
bool ElementColours::global(const RankPart& part, std::int64_t flat, Shape& at) const {
  at = coordinates(part.local, flat);
  const bool known = part.runs.size() == at.size();
  for (std::size_t dim = 0; known && dim < at.size(); ++dim) {
    at[dim] = globalIndex(part.runs[dim], at[dim]);
  }
  return known;
}

QColor ElementColours::colour(const PartLookup& lookup, std::int64_t flat) const {
  const RankPart& part = lookup.part();
  if (view_.origin && !part.local.empty()) {
    const auto row = lookup.tableRow(flat);
    if (row >= 0) {
      return ofTable(row, flat % part.local.back(), part.local.back());
    }
  }
  if (view_.fetches) {
    const auto row = lookup.fetchedRow(flat);
    if (isFetched(row)) {
      return ofFetched(row);
    }
  }
  Shape at;
  global(part, flat, at);
  return ofTensor(at);
}

bool ElementColours::isFetched(std::int64_t row) const {
  return row >= 0 && row < view_.fetches->shape[static_cast<std::size_t>(view_.fetches->dim)];
}

QColor ElementColours::whole(std::int64_t flat, std::int64_t tableRow) const {
  const Shape& shape = view_.record->shape;
  if (tableRow >= 0 && view_.origin && !shape.empty()) {
    return ofTable(tableRow, flat % shape.back(), shape.back());
  }
  if (view_.fetches && isFetched(tableRow)) {
    return ofFetched(tableRow);
  }
  return ofTensor(coordinates(shape, flat));
}

QString ElementColours::rowLabel(const PartLookup& lookup, std::int64_t flat, int dim) const {
  Shape at;
  if (dim < 0 || lookup.part().local.empty() || !global(lookup.part(), flat, at)) {
    return {};
  }
  const auto id = lookup.id(flat);
  return QString::number(id ? *id : at[static_cast<std::size_t>(dim)]);
}

QString ElementColours::wholeLabel(std::int64_t flat) const {
  return rowText(coordinates(view_.record->shape, flat));
}

}  // namespace shardlens
