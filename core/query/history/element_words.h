#pragma once

#include "core/query/history/element_history.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Returns the copies of an element after an event that sets values (Result, MaskApplied), else an
// empty list.
std::vector<ElementPlace> placesAfter(const Journal& journal, const ElementEvent& what,
                                      const Shape& index);

// Returns the copies as text, grouped by value: "0.5 at [1, 1] of ranks 0, 2; not captured at [1]
// of rank 1". A masked value is followed by "(masked)". "" for an empty list.
std::string placesText(const std::vector<ElementPlace>& places);

struct ElementHistoryColumn {
  enum Place : std::uint8_t { At, What, By, Values };
};
// A table of an element's history, one row per event. Marks the last event at or before `position`.
// Rows are built on access, so `journal` and `events` must outlive the table.
view::Table elementHistoryTable(const Journal& journal, const std::vector<ElementEvent>& events,
                                const Shape& index, EventId position,
                                view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
