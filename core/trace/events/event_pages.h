#pragma once

#include "core/trace/events/open_blocks.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace shardlens {

// The events of a journal. Blocks that cannot change any more are compressed: ten million events
// take some 60 MB. Reading an event of a recently read block takes nanoseconds; any other read
// decompresses one block. Not thread safe: const functions use a cache.
class EventPages {
 public:
  EventId size() const { return size_; }
  // Throws CheckFailed unless 1 <= id <= size(). So does inputs().
  Event at(EventId id) const {
    const EventId place = id - last_->first;
    return place < last_->events.size() ? last_->events[place] : find(id);
  }
  std::vector<TensorId> inputs(EventId id) const;
  // Consecutive events, and the inputs of these and perhaps of later events, concatenated.
  struct Run {
    std::span<const Event> events;
    std::span<const TensorId> inputs;
  };
  // Returns the events from `id` to the end of its block, without copying them. Valid until an
  // event is read, appended or changed. Throws CheckFailed unless 1 <= id <= size().
  Run runFrom(EventId id) const;

  // Appends event size() + 1. Throws CheckFailed unless event.inputs is the number of `inputs`.
  void append(const Event& event, std::span<const TensorId> inputs);
  // Appends a full block of ended events, as packEvents() returns it. Throws CheckFailed unless
  // size() is a multiple of kBlockEvents. The block is not validated: at() throws CheckFailed if it
  // is damaged.
  void append(std::vector<std::byte> packed);
  // Keeps at most `most` decompressed blocks from now on, and the last one with many inputs.
  // `most` must not be 0. The default is 16, 1.5 MiB.
  void cacheBlocks(std::size_t most) const;
  // Sets Event::exposed of a running span. Throws CheckFailed if it is not running.
  void setExposed(EventId id, std::int64_t exposed) { open_.setExposed(id, exposed); }
  // Sets the duration of a running span. Throws CheckFailed if it is not running.
  void end(EventId id, std::int64_t duration);
  // Compresses the remaining blocks. No event can be appended or changed any more.
  void seal();

 private:
  using Packed = std::vector<std::byte>;
  static constexpr std::size_t kUnpacked = 16;  // decompressed blocks in the cache
  // A page with more inputs is large. A small block can expand to millions of inputs, so only the
  // last large page is cached.
  static constexpr std::size_t kMostInputs = std::size_t{16} * kBlockEvents;
  static const EventBlock kNone;

  Event find(EventId id) const;
  void packDone();
  const EventBlock& block(EventId id) const;
  std::span<const TensorId> inputsFrom(const EventBlock& block, EventId id) const;

  EventId size_ = 0;
  std::vector<Packed> packed_;  // by block; empty while the block can change
  OpenBlocks open_;
  mutable std::vector<EventBlock> unpacked_ = std::vector<EventBlock>(kUnpacked);
  mutable EventBlock large_;                 // the last large page
  mutable const EventBlock* last_ = &kNone;  // the page that was read last
  // A cursor into the inputs of a block, which are stored consecutively. Makes sequential reads of
  // inputs constant time.
  struct InputsPlace {
    EventId event = 0;
    std::size_t before = 0;  // inputs of the block's events before `event`
  };
  mutable InputsPlace inputsPlace_;
};

}  // namespace shardlens
