#pragma once

#include "core/query/language/event_filter.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardlens {

// Caches a predicate by id. Values of an id never change.
template <class Predicate>
class Once {
 public:
  explicit Once(Predicate predicate) : predicate_(std::move(predicate)) {}
  bool operator()(std::uint32_t id) {
    if (id >= known_.size()) known_.resize(std::max<std::size_t>(id + 1, 2 * known_.size()));
    if (known_[id] == 0) known_[id] = predicate_(id) ? 2 : 1;
    return known_[id] == 2;
  }

 private:
  Predicate predicate_;
  std::vector<std::uint8_t> known_;  // 1: no, 2: yes
};

// Tests a text field of the event with `predicate`, once per text.
template <class Predicate>
EventFilter::Test testOfText(const Journal& journal, StringId Event::*field, Predicate predicate) {
  const auto is = [&journal, predicate = std::move(predicate)](StringId id) {
    return id != 0 && predicate(journal.text(id));
  };
  return
      [field, once = Once(is)](EventId, const Event& event) mutable { return once(event.*field); };
}

}  // namespace shardlens
