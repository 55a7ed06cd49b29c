#pragma once

#include "core/query/element_history.h"
#include "core/view/table.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Who holds an element after an event that gave it values; nobody after any other one.
std::vector<ElementPlace> placesAfter(const Journal& journal, const ElementEvent& what,
                                      const Shape& index);

// Those with the same value together: "0.5 at [1, 1] of ranks 0, 2; not captured at [1] of rank 1".
std::string placesText(const std::vector<ElementPlace>& places);

struct ElementHistoryColumn {
  enum Place : std::uint8_t { At, What, By, Values };
};
// The history of an element, an event a row; that of the position is marked, or the last one before
// it. Rows are made when they are asked for: the events must outlive the table.
view::Table elementHistoryTable(const Journal& journal, const std::vector<ElementEvent>& events,
                                const Shape& index, EventId position);

}  // namespace shardlens
