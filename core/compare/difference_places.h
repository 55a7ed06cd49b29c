#pragma once

#include "core/compare/event_pairs.h"

#include <optional>
#include <vector>

namespace shardlens {

// The places at which two recordings differ, ordered by event, for stepping through them.
class DifferencePlaces {
 public:
  enum class Side { Left, Right };
  // A pair of positions, one per recording, that shows a difference.
  struct Place {
    EventId left = 0;
    EventId right = 0;
    auto operator<=>(const Place&) const = default;
    EventId in(Side side) const { return side == Side::Left ? left : right; }
  };

  DifferencePlaces() = default;
  // `events`: the pairs of events that differ, in any order; 0 if only the other recording has the
  // event. Such an event is shown beside the last event before it that both recordings have. Pairs
  // of two zeros, which concern the whole run, are dropped.
  DifferencePlaces(const Journal& left, const Journal& right, const EventPairs& pairs,
                   std::vector<Place> events);

  // nullopt if there is no place.
  std::optional<Place> first() const;
  std::optional<Place> last() const;
  // Return the nearest place after `from`, or before it; nullopt if there is none. `from` need not
  // be a place.
  std::optional<Place> next(const Place& from) const;
  std::optional<Place> previous(const Place& from) const;

  // Returns the events of one recording that differ, with all events that enclose them; sorted.
  const std::vector<EventId>& events(Side side) const {
    return side == Side::Left ? left_ : right_;
  }

 private:
  std::vector<Place> places_;
  std::vector<EventId> left_;
  std::vector<EventId> right_;
};

}  // namespace shardlens
