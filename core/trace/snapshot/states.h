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

// The state of a tensor at one position.
struct TensorState {
  TensorId id = 0;
  EventId born = 0;     // the event that created it
  EventId changed = 0;  // the event that set its current values
  TensorId mask = 0;    // the tensor with the bits of its mask; 0 if it has none
  EventId hold = 0;     // the MaskMaterialized of its open hold on a mask buffer; 0 if none
  BufferId buffer = 0;  // the buffer of that hold; 0 if none
  bool operator==(const TensorState&) const = default;
};

// The state of a mask buffer at one position.
struct BufferState {
  BufferId id = 0;
  int refcount = 0;
  TensorId mask = 0;
  std::vector<std::string> holders = {};
  std::vector<TensorId> tensors = {};  // tensors that share a hold on it
  EventId changed = 0;
  bool operator==(const BufferState&) const = default;
};

// An entry of a cache at one position.
struct CacheEntry {
  EventId made = 0;  // the miss that created it
  int hits = 0;
  EventId lastUse = 0;  // the newest hit, or `made`
  bool operator==(const CacheEntry&) const = default;
};

// A list of states at one position. Each access looks the state up again.
template <class State>
class States {
 public:
  States() = default;
  States(std::size_t size, std::function<State(std::size_t)> at)
      : size_(size), at_(std::move(at)) {}
  // Wraps a list of computed states.
  States(std::vector<State> all)  // NOLINT(google-explicit-constructor): used like the vector
      : size_(all.size()), at_([all = std::move(all)](std::size_t place) { return all[place]; }) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Computes a state. `place` must be below size(). An iterator refers to this list.
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
