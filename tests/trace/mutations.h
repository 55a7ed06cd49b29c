#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace shardlens {

// Damaged copies of a recording, numbered 0, 1, 2, ...: the same each time. Values of any column of
// any row, fields of events, rows, texts, and bytes of the file are changed to what a reader
// may not expect, and the file is cut.
class Mutations {
 public:
  explicit Mutations(std::filesystem::path whole) : whole_(std::move(whole)) {}

  // Writes one of them, over what is there, and says what was done to it.
  std::string write(std::uint64_t number, const std::filesystem::path& path) const;

 private:
  std::filesystem::path whole_;
};

// Changes the events of the block that begins with `first`, and nothing else of a recording.
void changeBlock(const std::filesystem::path& path, EventId first,
                 const std::function<void(std::span<Event>)>& change);

// How many of them a test tries: more where SHARDLENS_MUTATIONS says so ("5000", or "5000+70000"
// for those from number 70000 on).
struct MutationRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
MutationRange mutationRange(std::uint64_t usual);

}  // namespace shardlens
