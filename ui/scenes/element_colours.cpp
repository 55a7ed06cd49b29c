#include "ui/scenes/element_colours.h"

#include "core/model/spec.h"
#include "ui/scenes/colour.h"
#include "ui/scenes/lookup_origin.h"

#include <algorithm>

namespace shardlens {
namespace {

double share(std::int64_t index, std::int64_t count) {
  return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.0;
}

}  // namespace

QColor ElementColours::ofTable(std::int64_t row, std::int64_t column, std::int64_t columns) const {
  const auto rows = view_.origin->table[static_cast<std::size_t>(view_.origin->dim)];
  return elementColour(share(row, rows), share(column, columns), dark_);
}

// Rows, that is all dimensions but the last, give the hue; a vector has hue only.
QColor ElementColours::ofTensor(const Shape& global) const {
  const Shape& shape = view_.record->shape;
  if (shape.empty()) {
    return elementColour(0.65, 0.3, dark_);
  }
  if (shape.size() == 1) {
    return elementColour(share(global[0], shape[0]), 0.4, dark_);
  }
  std::int64_t row = 0;
  std::int64_t rows = 1;
  for (std::size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    row = row * shape[dim] + global[dim];
    rows *= shape[dim];
  }
  return elementColour(share(row, rows), share(global.back(), shape.back()), dark_);
}

// False when the recording cannot tell where the element belongs; then `at` is its local place.
bool ElementColours::global(const RankPart& part, std::int64_t flat, Shape& at) const {
  at = coordinates(part.local, flat);
  const bool known = part.runs.size() == at.size();
  for (std::size_t dim = 0; known && dim < at.size(); ++dim) {
    at[dim] = globalIndex(part.runs[dim], at[dim]);
  }
  return known;
}

QColor ElementColours::colour(const RankPart& part, std::int64_t flat) const {
  if (view_.origin && !part.local.empty()) {
    const auto row = tableRow(journal_, snapshot_, view_, part, flat);
    if (row >= 0) {
      return ofTable(row, flat % part.local.back(), part.local.back());
    }
  }
  Shape at;
  global(part, flat, at);
  return ofTensor(at);
}

QColor ElementColours::whole(std::int64_t flat, std::int64_t tableRow) const {
  const Shape& shape = view_.record->shape;
  if (tableRow >= 0 && view_.origin && !shape.empty()) {
    return ofTable(tableRow, flat % shape.back(), shape.back());
  }
  return ofTensor(coordinates(shape, flat));
}

QString ElementColours::rowLabel(const RankPart& part, std::int64_t flat) const {
  if (part.local.empty()) {
    return {};
  }
  Shape at;
  const bool known = global(part, flat, at);
  if (view_.origin && known) {
    if (const auto id = idAt(journal_, snapshot_, view_, part, flat)) {
      return QString::number(*id);
    }
  }
  if (!known) {
    return {};
  }
  if (at.size() > 2) {
    QString text;
    for (std::size_t dim = 0; dim + 1 < at.size(); ++dim) {
      text += (dim == 0 ? QString() : QStringLiteral(",")) + QString::number(at[dim]);
    }
    return text;
  }
  return QString::number(at[0]);
}

}  // namespace shardlens
