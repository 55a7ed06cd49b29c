#pragma once

#include "core/trace/snapshot/lifetimes.h"
#include "core/trace/snapshot/states.h"
#include "core/trace/snapshot/versions.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The history of each mask buffer: its refcount, and which tensors held it when. A hold is
// identified by the MaskMaterialized event that began it. A hold starts with the name of its
// holder, because the buffer is held before the tensor exists; tensors join it later. Events must
// be added in order.
class BufferHistory {
 public:
  // Begins hold `at` of the buffer; creates the buffer at its first hold.
  void materialize(EventId at, BufferId id, int refcount, TensorId mask, std::string_view holder);
  // Records that the buffer was applied. Ignored for an unknown buffer.
  void touch(EventId at, BufferId id);
  // Ends `hold` if it is open, and all open holds if the refcount is 0. Returns the tensors whose
  // hold ended. Creates an unknown buffer with this refcount.
  std::vector<TensorId> release(EventId at, BufferId id, int refcount, EventId hold);

  // Returns the buffer of an open hold; 0 if the hold is not open.
  BufferId heldBy(EventId hold) const;
  // Add a tensor to an open hold, or remove it. Throw std::out_of_range if the hold is not open.
  // leave() ignores a tensor that is not in the hold.
  void join(EventId at, EventId hold, TensorId tensor, std::string_view name);
  void leave(EventId at, EventId hold, TensorId tensor);

  // Returns the state of a buffer at a position; nullopt before its first event.
  std::optional<BufferState> at(BufferId id, EventId position) const;
  // Returns how many buffers existed at the position. They have the places 0 to countAt() - 1, in
  // the order of creation; idOf() returns the id at a place.
  std::size_t countAt(EventId position) const;
  BufferId idOf(std::size_t place) const { return births_[place].id; }
  int liveAt(EventId position) const;  // buffers with a refcount above 0
  // Returns the newest event that changed any buffer; 0 if there is none.
  EventId newestChangeAt(EventId position) const;
  // The counts of events on a buffer up to a position.
  struct Counts {
    EventId made = 0;  // the event that created it
    int hits = 0;      // materialized again
    int applied = 0;
    int released = 0;
    bool operator==(const Counts&) const = default;
  };
  // Returns all zeros for an unknown buffer.
  Counts countsAt(BufferId id, EventId position) const;
  // Returns the buffer's index in the order of creation; nullopt if unknown.
  std::optional<std::size_t> placeOf(BufferId id) const;
  // Returns all events that changed the buffer, ascending, with the refcount after each.
  struct Change {
    EventId at;
    int refcount;
  };
  std::vector<Change> changesOf(BufferId id) const;

 private:
  struct Refs {
    int count = 0;  // refcount
    TensorId mask = 0;
    int hits = 0;
    int applied = 0;
    int released = 0;
  };
  struct Hold {
    std::uint32_t name;
    std::uint32_t newestTensor = 0;  // index in joins_; 0 is none
  };
  struct Holder {
    TensorId tensor;
    std::uint32_t name;
    std::uint32_t hold;  // number in holdLives
  };
  struct Buffer {
    std::size_t place = 0;  // index in births_
    Versions<Refs>::Place newest = 0;
    Lifetimes holdLives;
    std::vector<Hold> holds;  // by the numbers of holdLives
    Lifetimes tensorLives;
    std::vector<Holder> tensors;  // by the numbers of tensorLives
  };
  // A linked list of the tensors of a hold, newest first.
  struct Join {
    std::uint32_t tensor;  // number in tensorLives
    std::uint32_t before;
  };
  struct Birth {
    EventId at;
    BufferId id;
  };
  // The number of held buffers from an event on.
  struct Live {
    EventId since;
    int count;
  };

  Refs newest(const Buffer& buffer) const;
  Buffer& bufferOf(EventId at, BufferId id);
  // Adds a version of the refcounts, and updates live_ and changes_.
  void note(EventId at, Buffer& buffer, Refs refs);
  // Ends a hold and the tensors in it; appends these to `gone`.
  void end(EventId at, Buffer& buffer, std::uint32_t hold, std::vector<TensorId>& gone);
  std::vector<std::string> holdersAt(const Buffer& buffer, EventId position) const;
  std::uint32_t nameOf(std::string_view holder);

  std::unordered_map<BufferId, Buffer> buffers_;
  std::unordered_map<EventId, BufferId> lasting_;  // open holds
  Versions<Refs> versions_;
  std::deque<Join> joins_{Join{}};  // index 0 means none
  std::vector<Birth> births_;
  std::vector<Live> live_;
  std::vector<EventId> changes_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> nameIds_;  // the texts are owned by names_
};

}  // namespace shardlens
