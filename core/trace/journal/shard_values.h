#pragma once

#include "core/trace/journal/value.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The values of a journal: in memory, in a file, or in those of several processes. There may be far
// more of them than fit into memory, so each is looked up when somebody looks at it. Where a file
// is damaged there is none, and problem() says so.
class ShardValues {
 public:
  virtual ~ShardValues() = default;

  // As many as were captured; the first that came has the number 0.
  virtual std::size_t size() const = 0;
  virtual std::optional<ValueRecord> at(std::size_t number) const = 0;
  // What the rank holds of the tensor at this position; none where nothing was captured.
  virtual std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const = 0;
  // The ranks of which values of this tensor were captured, ascending.
  virtual std::vector<int> ranksOf(TensorId tensor) const = 0;
  // Of a value that these have given. Null where only statistics were captured.
  virtual Content elements(const ValueRecord& value) const = 0;
  // Those of the events after one, up to another, with a value of which some element is not a
  // number; ascending.
  virtual std::vector<EventId> eventsWithNans(EventId after, EventId last) const = 0;
  // Why one of those that were looked at is not shown; empty where all are.
  virtual std::string problem() const { return {}; }
};

class MemoryValues final : public ShardValues {
 public:
  void add(const ValueRecord& value);

  std::size_t size() const override { return all_.size(); }
  std::optional<ValueRecord> at(std::size_t number) const override { return all_[number]; }
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override { return value.data; }
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;

 private:
  std::deque<ValueRecord> all_;
  std::vector<EventId> withNans_;  // ascending
  // By tensor and rank, ascending by event.
  std::unordered_map<TensorId, std::map<int, std::vector<const ValueRecord*>>> of_;
};

}  // namespace shardlens
