#pragma once

#include "core/model/event.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// A tensor that has come into being.
struct TensorState {
  TensorId id = 0;
  EventId born = 0;
  EventId changed = 0;  // the event whose values it has now
  TensorId mask = 0;    // the bits that say which of its rows are masked; 0 is none
  EventId hold = 0;     // the MaskMaterialized of its hold on a mask buffer, while that lasts
  BufferId buffer = 0;  // that buffer
  bool operator==(const TensorState&) const = default;
};

struct BufferState {
  BufferId id = 0;
  int refcount = 0;
  TensorId mask = 0;
  std::vector<std::string> holders = {};
  std::vector<TensorId> tensors = {};  // those whose `buffer` this is
  EventId changed = 0;
  bool operator==(const BufferState&) const = default;
};

struct CacheEntry {
  EventId made = 0;  // the miss that made it
  int hits = 0;
  EventId lastUse = 0;
  bool operator==(const CacheEntry&) const = default;
};

// A list of states at one position, each looked up when it is asked for.
template <class State>
class States {
 public:
  States() = default;
  States(std::size_t size, std::function<State(std::size_t)> at)
      : size_(size), at_(std::move(at)) {}
  // Of states that are known.
  States(std::vector<State> all)  // NOLINT(google-explicit-constructor): as good as the vector
      : size_(all.size()), at_([all = std::move(all)](std::size_t place) { return all[place]; }) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  State operator[](std::size_t place) const { return at_(place); }
  std::vector<State> all() const { return {begin(), end()}; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = State;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = State;

    Iterator(const States& states, std::size_t place) : states_(&states), place_(place) {}
    State operator*() const { return (*states_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return place_ == other.place_; }

   private:
    const States* states_;
    std::size_t place_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

  bool operator==(const States& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

 private:
  std::size_t size_ = 0;
  std::function<State(std::size_t)> at_;
};

}  // namespace shardlens
