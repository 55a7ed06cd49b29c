#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace shardlens {

// The versions of many objects in one list. Each version is valid from one event on; an object
// keeps the place of its newest version. Finding a version takes logarithmic time in the object's
// versions: each links to the previous one and to one further back (Myers' skew-binary jumps).
template <class State>
class Versions {
 public:
  using Place = std::uint32_t;  // 0: no version

  // Adds a version and returns its place, the new `newest`. Events must be added in order. A second
  // version at one event replaces the first.
  Place add(Place newest, EventId since, State state) {
    if (newest != 0 && all_[newest].since == since) {
      all_[newest].state = std::move(state);
      return newest;
    }
    const Version& before = all_[newest];
    const Version& jump = all_[before.jump];
    const bool isFar = before.depth - jump.depth == jump.depth - all_[jump.jump].depth;
    const Place to = isFar ? jump.jump : newest;
    all_.push_back({since, newest, to, before.depth + 1, std::move(state)});
    return static_cast<Place>(all_.size() - 1);
  }

  struct Found {
    EventId since;
    const State& state;
  };
  // Returns the version at a position; nullopt before the first. A version added later at the same
  // event overwrites the referenced state.
  std::optional<Found> at(Place newest, EventId position) const {
    Place place = newest;
    while (all_[place].since > position) {
      const Place jump = all_[place].jump;
      place = all_[jump].since > position ? jump : all_[place].before;
    }
    if (place == 0) return std::nullopt;
    return Found{all_[place].since, all_[place].state};
  }
  // Returns the newest state; null if there is none.
  const State* newest(Place newest) const { return newest == 0 ? nullptr : &all_[newest].state; }

  // Calls use(since, state) for each version, newest first.
  template <class Use>
  void forEach(Place newest, const Use& use) const {
    for (Place place = newest; place != 0; place = all_[place].before) {
      use(all_[place].since, all_[place].state);
    }
  }

 private:
  struct Version {
    EventId since = 0;
    Place before = 0;
    Place jump = 0;
    std::uint32_t depth = 0;
    State state = {};
  };
  std::deque<Version> all_{Version{}};  // index 0 means none
};

}  // namespace shardlens
