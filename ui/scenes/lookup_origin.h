#pragma once

#include "ui/scenes/tensor_view.h"

#include <memory>
#include <optional>

namespace shardlens {

// Returns the table and the ids that a tensor was looked up with, so that each row keeps the colour
// of its table row; nullopt if it was not looked up. With stepwise masking the tensor shares its
// mask with the ids; with fused masking the ids are an input of its operator. Redistributions
// keep the origin. Also nullopt if the tensor does not exist at the snapshot, or after 8
// redistributions.
std::optional<LookupOrigin> lookupOrigin(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// Returns the table that a tensor of ids is looked up in, or nullopt. Masked ids know it by their
// placement; for other ids, the scenario's embedding calls are searched.
std::optional<FetchedTable> fetchedTable(const Journal& journal, const Snapshot& snapshot,
                                         TensorId id);

// Returns the input of the redistribution whose result was created at event `born`, or 0 if an
// operator created it.
TensorId redistributedFrom(const Journal& journal, EventId born);

// Returns true for ids that a redistribution masked for a lookup. Each rank counts such ids within
// its own rows.
bool isLocalIds(const Journal& journal, const Snapshot& snapshot, TensorId id);

// Maps the elements of one rank's shard to rows of the view's table (TensorView::origin or
// ::fetches). The constructor reads the ids once; lookups are cheap. The journal, the view and the
// part must outlive it.
class PartLookup {
 public:
  PartLookup(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
             const RankPart& part);

  const RankPart& part() const { return part_; }
  // Returns the id that the element's row was looked up for, or nullopt if it is not known on this
  // rank.
  std::optional<std::int64_t> id(std::int64_t flat) const;
  // Returns the table row that an element shows, or -1 if it is unknown. For an id that another
  // rank owns, returns the first own row, which DTensor looks up instead; also for an unknown id of
  // a fused lookup.
  std::int64_t tableRow(std::int64_t flat) const;
  // Returns the table row that an id denotes, or -1 if it is unknown. May be outside the table.
  std::int64_t fetchedRow(std::int64_t flat) const;
  // Returns for each row of a masked, not yet reduced tensor whether another rank owns its id.
  // Empty for other tensors and without captured values.
  std::vector<bool> foreignRows() const;

 private:
  std::optional<std::int64_t> element(const ValueRecord* value, std::int64_t at) const;

  const Journal& journal_;
  const TensorView& view_;
  const RankPart& part_;
  bool isPlaced_ = false;   // the rank is in the view's mesh
  bool isPending_ = false;  // the tensor has a MaskPartial placement
  Runs owned_;              // the table rows that the rank owns; empty unless pending
  // Global indices of the ids that this rank holds. nullopt if the ids are placed differently.
  std::optional<std::vector<Runs>> ids_;
  std::shared_ptr<const ValueRecord> idValues_;
  std::shared_ptr<const ValueRecord> localValues_;
};

}  // namespace shardlens
