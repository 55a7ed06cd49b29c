#pragma once

#include "core/compare/event_pairs.h"

#include <optional>
#include <vector>

namespace shardlens {

// Where two recordings differ, in the order of their events.
class DifferencePlaces {
 public:
  enum class Side { Left, Right };
  // Positions at which both show a difference.
  struct Place {
    EventId left = 0;
    EventId right = 0;
    auto operator<=>(const Place&) const = default;
    EventId in(Side side) const { return side == Side::Left ? left : right; }
  };

  DifferencePlaces() = default;
  // Of the events that differ, in any order. Where only one recording has the event, which is 0 in
  // the other, that one is shown at the last event before it that both have; where neither has, it
  // is a difference of the whole run, which has no place.
  DifferencePlaces(const Journal& left, const Journal& right, const EventPairs& pairs,
                   std::vector<Place> events);

  std::optional<Place> first() const;
  // The nearest behind a place, or before it.
  std::optional<Place> next(const Place& from) const;
  std::optional<Place> previous(const Place& from) const;

  // The events of one side that differ, or inside of which one does; sorted.
  const std::vector<EventId>& events(Side side) const {
    return side == Side::Left ? left_ : right_;
  }

 private:
  std::vector<Place> places_;
  std::vector<EventId> left_;
  std::vector<EventId> right_;
};

}  // namespace shardlens
