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
inline constexpr const char* kFormatText = "5.3";  // major and minor version
// The oldest format that is read.
inline constexpr std::int64_t kOldestFormat = 4;
// Metadata key: kFormatText.
inline constexpr std::string_view kFormatTextKey = "format";
// Metadata key: the writer closed the file.
inline constexpr std::string_view kEndedKey = "ended";
// Metadata keys: each page has a valid checksum, which is Numbered or, of recordings before format
// 5.3, Plain. Versions that cannot verify Numbered checksums look for the latter key only.
inline constexpr std::string_view kSealedKey = "sealed_pages";
inline constexpr std::string_view kPlainSealedKey = "sealed";
// Returns whether the key is about the file, not about the run.
constexpr bool isOfFile(std::string_view key) {
  return key == kEndedKey || key == kSealedKey || key == kPlainSealedKey;
}
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
