#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// Constants of the file format; FORMAT.md describes it.
inline constexpr std::int64_t kApplicationId = 0x53484C4E;  // "SHLN"
// The file's user_version, the major version.
inline constexpr std::int64_t kFormat = 5;
inline constexpr const char* kFormatText = "5.2";  // major and minor version
// The oldest format that is read.
inline constexpr std::int64_t kOldestFormat = 4;
// Metadata key: the writer closed the file.
inline constexpr std::string_view kEndedKey = "ended";
// Metadata key: each page has a valid checksum.
inline constexpr std::string_view kSealedKey = "sealed";
// The latest time and the longest duration of an event, in nanoseconds: 73 years. The end of an
// event and the interval between two events fit in 64 bits.
inline constexpr std::int64_t kFarthestTime = std::int64_t{1} << 61;

// A tensor as stored in a file, little-endian.
struct PackedTensor {
  StringId name = 0;
  SpecId spec = 0;
};
static_assert(sizeof(PackedTensor) == 8);

// Returns SQL that creates the tables of an empty recording.
std::string schemaSql();

}  // namespace shardlens
