#pragma once

#include "core/trace/journal/journal.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shardlens {

// An event that uses a tensor.
struct TensorUse {
  enum class What {
    Made,
    Written,    // in place, by any tensor of the same memory
    Described,  // the program stated what it is: a parameter, a gradient, the output of a module
    Read,       // an operator's input
    Moved,      // redistributed from, or the result of a redistribution
    Masked,     // its mask was applied
    Released,   // its hold on a mask buffer ended
    Compared,   // with the result of a plain run
  };

  EventId event = 0;
  What what = What::Made;
  bool operator==(const TensorUse&) const = default;
};
std::string_view wordOf(TensorUse::What what);  // "made"

// An index of the events that use each tensor. Built incrementally by advance(); the journal may
// grow and must outlive it. Reads the first 1,000,000 events. Recordings have no events for the
// release of memory, so the last use of a tensor is the last known one.
class TensorUses {
 public:
  static constexpr EventId kMostRead = 1'000'000;

  explicit TensorUses(const Journal& journal) : journal_(journal) {}

  // Reads up to `events` further events. Returns true if more are left.
  bool advance(EventId events);
  bool isCut() const { return journal_.size() > kMostRead; }
  EventId read() const { return read_; }  // last event read

  // Returns the tensors in the order of their first results, without masks and states of random
  // generators.
  const std::vector<TensorId>& tensors() const { return tensors_; }
  // Returns the uses of a tensor, ascending; empty if there are none.
  const std::vector<TensorUse>& of(TensorId tensor) const;
  bool hasModules() const { return hasModules_; }  // some event read names its module
  // Returns the module of the event that made the tensor, else of an event around it: "layers.3".
  // "" if it is not recorded.
  std::string moduleOf(TensorId tensor) const;

 private:
  void take(EventId id);
  void add(TensorId tensor, EventId id, TensorUse::What what);
  bool isInMove(EventId id) const;
  void takeResult(EventId id, const Event& event);

  const Journal& journal_;
  EventId read_ = 0;
  StringId site_ = 0;  // the newest one looked at
  bool hasModules_ = false;
  std::vector<TensorId> tensors_;
  std::unordered_set<TensorId> made_;   // tensors with a result, masks included
  std::unordered_set<TensorId> masks_;  // tensors with the bits of masks
  std::unordered_map<TensorId, std::vector<TensorUse>> uses_;
  std::unordered_map<EventId, std::vector<TensorId>> held_;  // by the event that began the hold
};

}  // namespace shardlens
