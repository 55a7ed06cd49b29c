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

// What became of each mask buffer, and when: its refcount, and who held it from when to when. A
// hold is known by the MaskMaterialized that began it. It is one name at first, because the buffer
// is held before there is a tensor, and then also the tensors that share it.
class BufferHistory {
 public:
  void materialize(EventId at, BufferId id, int refcount, TensorId mask, std::string_view holder);
  // Something was done with it; if it is there.
  void touch(EventId at, BufferId id);
  // The tensors that let go: those of this hold, or all where nobody holds it any more.
  std::vector<TensorId> release(EventId at, BufferId id, int refcount, EventId hold);

  // The buffer that this hold is of, while it lasts; 0: there is none.
  BufferId heldBy(EventId hold) const;
  // A tensor shares a hold that lasts, or does not any more.
  void join(EventId at, EventId hold, TensorId tensor, std::string_view name);
  void leave(EventId at, EventId hold, TensorId tensor);

  std::optional<BufferState> at(BufferId id, EventId position) const;
  // Those that are there, as they came.
  std::size_t countAt(EventId position) const;
  BufferId idOf(std::size_t place) const { return births_[place].id; }
  int liveAt(EventId position) const;              // those that somebody holds
  EventId newestChangeAt(EventId position) const;  // of any; 0: there was none
  // What was done with it up to a position.
  struct Counts {
    EventId made = 0;  // by this event
    int hits = 0;      // it was held again
    int applied = 0;
    int released = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts countsAt(BufferId id, EventId position) const;
  std::optional<std::size_t> placeOf(BufferId id) const;  // among those that ever were there
  // The events that changed it, of all that are known, ascending; with the refcount from then on.
  struct Change {
    EventId at;
    int refcount;
  };
  std::vector<Change> changesOf(BufferId id) const;

 private:
  struct Refs {
    int count = 0;
    TensorId mask = 0;
    int hits = 0;
    int applied = 0;
    int released = 0;
  };
  struct Hold {
    std::uint32_t name;
    std::uint32_t newestTensor = 0;  // of joins_
  };
  struct Holder {
    TensorId tensor;
    std::uint32_t name;
    std::uint32_t hold;  // its number
  };
  struct Buffer {
    std::size_t place = 0;  // in births_
    Versions<Refs>::Place newest = 0;
    Lifetimes holdLives;
    std::vector<Hold> holds;  // by number
    Lifetimes tensorLives;
    std::vector<Holder> tensors;  // by number
  };
  // The tensors of a hold, from the newest back.
  struct Join {
    std::uint32_t tensor;  // its number
    std::uint32_t before;
  };
  struct Birth {
    EventId at;
    BufferId id;
  };
  struct Live {
    EventId since;
    int count;
  };

  Refs newest(const Buffer& buffer) const;
  Buffer& bufferOf(EventId at, BufferId id);
  void note(EventId at, Buffer& buffer, Refs refs);
  void end(EventId at, Buffer& buffer, std::uint32_t hold, std::vector<TensorId>& gone);
  std::vector<std::string> holdersAt(const Buffer& buffer, EventId position) const;
  std::uint32_t nameOf(std::string_view holder);

  std::unordered_map<BufferId, Buffer> buffers_;
  std::unordered_map<EventId, BufferId> lasting_;  // by hold
  Versions<Refs> versions_;
  std::deque<Join> joins_{Join{}};  // the first is nobody's
  std::vector<Birth> births_;
  std::vector<Live> live_;
  std::vector<EventId> changes_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> nameIds_;  // the texts are names_'
};

}  // namespace shardlens
