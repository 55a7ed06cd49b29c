#pragma once

#include "ui/scenes/lookup_origin.h"

#include <QColor>
#include <QString>

namespace shardlens {

// The colours of a tensor's elements by their global index. An element of a looked-up tensor has
// the colour of the table element that it shows; an id has the colour of the table row that it
// names. The view must outlive it.
class ElementColours {
 public:
  ElementColours(const TensorView& view, bool dark) : view_(view), dark_(dark) {}

  // Returns the colour of a local element, by its row-major index in the shard.
  QColor colour(const PartLookup& lookup, std::int64_t flat) const;
  // Returns the colour of an element of the whole tensor, by its row-major index. `tableRow` is the
  // table row that it shows or names, or -1.
  QColor whole(std::int64_t flat, std::int64_t tableRow) const;
  // Returns the label of the row that begins with this local element: the id that was looked up, or
  // the global index along `dim`. Empty if `dim` is -1 or the index is unknown.
  QString rowLabel(const PartLookup& lookup, std::int64_t flat, int dim) const;
  // Returns the label of a row of the whole tensor, by its first element: "1,0".
  QString wholeLabel(std::int64_t flat) const;

 private:
  QColor ofTable(std::int64_t row, std::int64_t column, std::int64_t columns) const;
  QColor ofTensor(const Shape& global) const;
  QColor ofFetched(std::int64_t row) const;
  bool isFetched(std::int64_t row) const;  // false: the id is outside the table
  bool global(const RankPart& part, std::int64_t flat, Shape& at) const;

  const TensorView& view_;
  bool dark_;
};

}  // namespace shardlens
