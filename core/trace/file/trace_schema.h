#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// What makes an SQLite file a recording; FORMAT.md says the rest.
inline constexpr std::int64_t kApplicationId = 0x53484C4E;  // "SHLN"
inline constexpr std::int64_t kFormat = 3;                  // the file's user_version
inline constexpr const char* kFormatText = "3.1";           // with the additions since
inline constexpr std::string_view kEndedKey = "ended";      // of meta: the writer has closed it

// A tensor as the file has it, little-endian.
struct PackedTensor {
  StringId name = 0;
  SpecId spec = 0;
};
static_assert(sizeof(PackedTensor) == 8);

// The SQL that makes the table of bookmarks, which before 2.1 is not there.
inline constexpr const char* kBookmarksTable =
    "CREATE TABLE bookmarks(event INTEGER PRIMARY KEY, note TEXT NOT NULL);";

// The SQL that makes an empty recording.
std::string schemaSql();

}  // namespace shardlens
