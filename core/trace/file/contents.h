#pragma once

#include "core/trace/journal/value.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Which contents a recording has already, so that each is written once. One is only known again
// while it is in memory to be compared: the newest few are kept, and there are those that others
// hold.
class KnownContents {
 public:
  // The id under which it is known; where it is not, it becomes so under `next`.
  std::int64_t idOf(const Content& content, std::int64_t next);

 private:
  void keep(const Content& content);

  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  struct Known {
    std::weak_ptr<const std::vector<std::byte>> content;
    std::int64_t id;
  };

  std::unordered_multimap<std::size_t, Known> byHash_;
  std::size_t sweepAt_ = 1024;
  std::deque<Content> kept_;
  std::size_t keptBytes_ = 0;
};

// As a file has them: a frame of Zstandard where that is an eighth smaller, else as they are.
std::vector<std::byte> packContent(std::span<const std::byte> content);
// Null where the bytes are not those of a content of this size.
Content unpackContent(std::span<const std::byte> packed, std::size_t size);

}  // namespace shardlens
