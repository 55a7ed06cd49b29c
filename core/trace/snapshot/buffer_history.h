#pragma once

#include "core/trace/snapshot/births.h"
#include "core/trace/snapshot/states.h"

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What became of each mask buffer, and when.
class BufferHistory {
 public:
  // To be changed at the event that is taken in; it comes into being if it is not there yet.
  BufferState& change(BufferId id);
  BufferState* newest(BufferId id);  // null: it is not there
  // All that was changed is so from this event on.
  void keep(EventId at);

  std::optional<BufferState> at(BufferId id, EventId position) const;
  Births::Ids idsAt(EventId position) const { return births_.at(position); }
  // The events that changed its refcount or its holders, of all that are known, ascending; with the
  // refcount from then on.
  struct Change {
    EventId at;
    int refcount;
  };
  std::vector<Change> changesOf(BufferId id) const;

 private:
  // Texts and tensors stand beside one another for all versions.
  struct Version {
    EventId since;
    EventId changed;
    int refcount;
    TensorId mask;
    std::size_t lists;  // where its holders begin, and after them its tensors
    std::uint32_t holders;
    std::uint32_t tensors;
  };
  struct History {
    BufferState newest;
    std::vector<Version> versions;  // ascending
    bool isTouched = false;
  };
  std::uint32_t nameOf(const std::string& holder);

  std::unordered_map<BufferId, History> buffers_;
  std::vector<BufferId> touched_;
  std::vector<std::uint32_t> lists_;
  std::deque<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> nameIds_;
  Births births_;
};

}  // namespace shardlens
