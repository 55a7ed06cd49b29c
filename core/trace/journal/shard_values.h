#pragma once

#include "core/trace/events/value.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The captured values of a journal: in memory, in a file, or in the recordings of several
// processes. Values are loaded on demand because they may exceed the memory. A damaged value is
// reported as missing; problem() then returns the reason. Not thread safe, because const functions
// may fill caches.
class ShardValues {
 public:
  virtual ~ShardValues() = default;

  // Returns the number of captured values. Values are numbered from 0 in the order of capture.
  virtual std::size_t size() const = 0;
  // Returns value `number`, which must be below size(); nullopt if it cannot be read.
  virtual std::optional<ValueRecord> at(std::size_t number) const = 0;
  // Returns the newest value of the tensor on the rank, captured at or before `position`; nullopt
  // if none was captured.
  virtual std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const = 0;
  // Returns the ranks with captured values of this tensor, ascending.
  virtual std::vector<int> ranksOf(TensorId tensor) const = 0;
  // Returns the elements of a value that this object returned. Null if only statistics were
  // captured or the elements cannot be read.
  virtual Content elements(const ValueRecord& value) const = 0;
  // Returns the events with a captured value that has a NaN, from after + 1 to `last`, ascending.
  virtual std::vector<EventId> eventsWithNans(EventId after, EventId last) const = 0;
  // Returns why a value could not be read; empty if all reads succeeded.
  virtual std::string problem() const { return {}; }
};

// Values that are kept in memory.
class MemoryValues final : public ShardValues {
 public:
  // Adds a value. Events may come in any order; among values of one event the last one is the
  // newest.
  void add(const ValueRecord& value);

  std::size_t size() const override { return all_.size(); }
  std::optional<ValueRecord> at(std::size_t number) const override { return all_[number]; }
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override { return value.data; }
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;

 private:
  // In the order of capture. A deque keeps the pointers in of_ valid.
  std::deque<ValueRecord> all_;
  std::vector<EventId> withNans_;  // ascending
  // By tensor and rank, ascending by event.
  std::unordered_map<TensorId, std::map<int, std::vector<const ValueRecord*>>> of_;
};

}  // namespace shardlens
