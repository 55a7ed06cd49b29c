#pragma once

#include "core/query/language/query.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shardlens {

// The fields of a query. FieldInfo::meaning describes each.
enum class Field : std::uint8_t {
  Axis,
  Buffer,
  Bytes,
  Cache,
  Device,
  DType,
  Exposed,
  File,
  Group,
  Id,
  Kind,
  Line,
  Module,
  Name,
  Op,
  Pass,
  Placement,
  Rank,
  Refcount,
  Role,
  Sequence,
  Step,
  Tensor,
  Time,
};

// The type of a field's values. Word: one of a list of words. Text: a part of a text, in upper or
// lower case; for axis, tensor, dtype and placement the whole name. Number: a number or an
// inclusive range (3, 0-3); for rank also coordinates, (dp=1 tp=0). Amount: a quantity that can be
// compared (bytes>1MB).
enum class FieldType : std::uint8_t { Word, Text, Number, Amount };

// The description of a field.
struct FieldInfo {
  Field field;
  std::string_view name;
  FieldType type;
  Unit unit;                                // for amounts
  std::span<const std::string_view> words;  // the accepted values; empty: any
  std::string_view meaning;                 // for display: "duration"
};

// Returns all fields, sorted by name.
std::span<const FieldInfo> queryFields();
const FieldInfo* findField(std::string_view name);  // null if unknown

// Words with a special meaning; other words are searched in texts.
inline constexpr std::string_view kNan = "nan";            // events that recorded a NaN
inline constexpr std::string_view kRunning = "running";    // events that have not ended
inline constexpr std::string_view kDiverged = "diverged";  // where ranks of a role part

// Returns an error if the term's field is unknown or a value does not fit it, else nullopt.
std::optional<QueryMistake> checkTerm(const Term& term);

}  // namespace shardlens
