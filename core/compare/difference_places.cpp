#include "core/compare/difference_places.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

using Place = DifferencePlaces::Place;

template <class Item>
void sortUnique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Appends an event and all events that enclose it.
void addWithParents(const Journal& journal, EventId event, std::vector<EventId>& to) {
  for (; event != 0; event = journal.at(event).parent) to.push_back(event);
}

}  // namespace

DifferencePlaces::DifferencePlaces(const Journal& left, const Journal& right,
                                   const EventPairs& pairs, std::vector<Place> events)
    : places_(std::move(events)) {
  std::erase(places_, Place());
  for (Place& place : places_) {
    addWithParents(left, place.left, left_);
    addWithParents(right, place.right, right_);
    if (place.left == 0) place.left = pairs.leftUpTo(place.right);
    if (place.right == 0) place.right = pairs.rightUpTo(place.left);
  }
  sortUnique(places_);
  sortUnique(left_);
  sortUnique(right_);
}

std::optional<Place> DifferencePlaces::first() const {
  return places_.empty() ? std::nullopt : std::optional(places_.front());
}

std::optional<Place> DifferencePlaces::last() const {
  return places_.empty() ? std::nullopt : std::optional(places_.back());
}

std::optional<Place> DifferencePlaces::next(const Place& from) const {
  const auto next = std::upper_bound(places_.begin(), places_.end(), from);
  return next == places_.end() ? std::nullopt : std::optional(*next);
}

std::optional<Place> DifferencePlaces::previous(const Place& from) const {
  const auto next = std::lower_bound(places_.begin(), places_.end(), from);
  return next == places_.begin() ? std::nullopt : std::optional(*(next - 1));
}

}  // namespace shardlens
