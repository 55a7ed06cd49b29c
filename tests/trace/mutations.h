#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace shardlens {

// Makes damaged copies of a recording, numbered 0, 1, 2, ...; a number always gives the same copy.
// The damage is in values of any column, fields of events, rows, texts, or bytes of the file, or
// the file is truncated.
class Mutations {
 public:
  explicit Mutations(std::filesystem::path whole) : whole_(std::move(whole)) {}

  // Writes a damaged copy to `path`, and replaces an existing file. Returns a description.
  std::string write(std::uint64_t number, const std::filesystem::path& path) const;

 private:
  std::filesystem::path whole_;
};

// Changes the events of the block that begins with `first`, and leaves the rest of the recording.
void changeBlock(const std::filesystem::path& path, EventId first,
                 const std::function<void(std::span<Event>)>& change);

// The mutations that a test tries. mutationRange() returns `usual` ones from 0 on, unless the
// environment variable SHARDLENS_MUTATIONS is set: "5000", or "5000+70000" to begin at 70000.
struct MutationRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
MutationRange mutationRange(std::uint64_t usual);

}  // namespace shardlens
