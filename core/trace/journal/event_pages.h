#pragma once

#include "core/trace/journal/open_blocks.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace shardlens {

// The events of a journal, packed but for those that can change yet: ten million take some 60 MB.
// Reading one costs nanoseconds while its block is among those that were read lately, else the
// unpacking of a block. For one thread at a time.
class EventPages {
 public:
  EventId size() const { return size_; }
  Event at(EventId id) const {
    const EventId place = id - last_->first;
    return place < last_->events.size() ? last_->events[place] : find(id);
  }
  std::vector<TensorId> inputs(EventId id) const;

  void append(const Event& event, std::span<const TensorId> inputs);
  // A whole block that cannot change any more, as packEvents() gives it.
  void append(std::vector<std::byte> packed);
  void end(EventId id, std::int64_t duration);

 private:
  using Packed = std::vector<std::byte>;
  static constexpr std::size_t kUnpacked = 16;  // 1.4 MiB: of many processes each has so many
  // Pages with more are large: few bytes can claim millions, so only the last such page is kept.
  static constexpr std::size_t kMostInputs = std::size_t{16} * kBlockEvents;
  static const EventBlock kNone;

  Event find(EventId id) const;
  void packDone();
  const EventBlock& block(EventId id) const;

  EventId size_ = 0;
  std::vector<Packed> packed_;  // by block; empty while it can change
  OpenBlocks open_;
  mutable std::vector<EventBlock> unpacked_ = std::vector<EventBlock>(kUnpacked);
  mutable EventBlock large_;                 // the last one that has more inputs
  mutable const EventBlock* last_ = &kNone;  // that was read
  // The inputs of a block stand one after another, so the next event's are found from here.
  struct InputsPlace {
    EventId event = 0;
    std::size_t before = 0;  // so many inputs have the block's events before it
  };
  mutable InputsPlace inputsPlace_;
};

}  // namespace shardlens
