#pragma once

#include "ui/scenes/lookup_origin.h"

#include <QColor>
#include <QString>

namespace shardlens {

// Gives every element the colour of its place in the whole: of its tensor, or of the table that it
// was looked up in; an id that of the row it names.
class ElementColours {
 public:
  ElementColours(const TensorView& view, bool dark) : view_(view), dark_(dark) {}

  QColor colour(const PartLookup& lookup, std::int64_t flat) const;
  // Of an element of the whole tensor, that shows this row of the table (-1: none).
  QColor whole(std::int64_t flat, std::int64_t tableRow) const;
  // What stands before a row: its global index along the dimension that runs down, or the id that
  // it was looked up for.
  QString rowLabel(const PartLookup& lookup, std::int64_t flat, int dim) const;
  // The same under a row of the whole, by its first element.
  QString wholeLabel(std::int64_t flat) const;

 private:
  QColor ofTable(std::int64_t row, std::int64_t column, std::int64_t columns) const;
  QColor ofTensor(const Shape& global) const;
  QColor ofFetched(std::int64_t row) const;
  bool isFetched(std::int64_t row) const;  // an id may name no row of the table
  bool global(const RankPart& part, std::int64_t flat, Shape& at) const;

  const TensorView& view_;
  bool dark_;
};

}  // namespace shardlens
