#pragma once

#include "core/trace/events/value.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlens {

// An index from contents to their ids in a recording, so that equal contents are written once. It
// compares contents in memory, so it knows only those that still exist: the newest kMostKept bytes,
// which it retains, and contents that other owners hold.
class KnownContents {
 public:
  // Returns the id of an equal content; if none is known, stores this content under `next` and
  // returns `next`. `content` must not be null.
  std::int64_t idOf(const Content& content, std::int64_t next);

 private:
  void keep(const Content& content);

  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  struct Known {
    std::weak_ptr<const std::vector<std::byte>> content;
    std::int64_t id;
  };

  std::unordered_multimap<std::size_t, Known> byHash_;
  // At this size of byHash_, entries of freed contents are removed.
  std::size_t sweepAt_ = 1024;
  std::deque<Content> kept_;
  std::size_t keptBytes_ = 0;
};

// Returns the bytes to store: a Zstandard frame if that saves at least an eighth, else a copy. Only
// a sample of a large content is tried first.
std::vector<std::byte> packContent(std::span<const std::byte> content);
// Returns the content; null if the bytes are not a content of `size` bytes, or if they are
// compressed and `size` exceeds 1 GiB.
Content unpackContent(std::span<const std::byte> packed, std::size_t size);

}  // namespace shardlens
