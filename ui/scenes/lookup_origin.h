#pragma once

#include "ui/scenes/tensor_view.h"

#include <memory>
#include <optional>

namespace shardlens {

// Which table the rows of a tensor come from, so that a looked-up row keeps the colour of the row
// it was. Stepwise, the tensor shares its mask with the ids that were looked up; fused, the
// operator that made it names them. What a redistribution makes of such a tensor keeps its origin.
std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// The table that a tensor of ids is looked up in: masked ids know it, and of others the program
// says it before they are.
std::optional<FetchedTable> fetchedTable(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// The tensor that the redistribution read whose result was born at this event; 0 is none.
TensorId redistributedFrom(const Journal& journal, EventId born);

// Whether these are ids that were masked for a look-up. Each rank counts them in its own rows.
bool isLocalIds(const Journal& journal, const Snapshot& snapshot, TensorId id);

// What the elements of a rank's part have to do with the table that the view names. What that takes
// is asked for once, however many elements are looked at; the part must outlive it.
class PartLookup {
 public:
  PartLookup(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
             const RankPart& part);

  const RankPart& part() const { return part_; }
  // The id that the row of an element was looked up for, where this rank has it.
  std::optional<std::int64_t> id(std::int64_t flat) const;
  // The row of the table that an element shows; -1 when that is not known. A row whose id belongs
  // to another rank shows the first row of this one, as DTensor looks it up.
  std::int64_t tableRow(std::int64_t flat) const;
  // The row of the fetched table that an id means here; -1 when that is not known.
  std::int64_t fetchedRow(std::int64_t flat) const;
  // For each row of a pending tensor whether its id belongs to another rank.
  std::vector<bool> foreignRows() const;

 private:
  std::optional<std::int64_t> element(const ValueRecord* value, std::int64_t at) const;

  const Journal& journal_;
  const TensorView& view_;
  const RankPart& part_;
  bool isPlaced_ = false;                 // it lies in the view's mesh
  bool isPending_ = false;                // its placements mask
  Runs owned_;                            // of a pending part: the rows of the table that are its
  std::optional<std::vector<Runs>> ids_;  // the ids that this rank has, where they lie as the rows
  std::shared_ptr<const ValueRecord> idValues_;
  std::shared_ptr<const ValueRecord> localValues_;
};

}  // namespace shardlens
