#pragma once

#include "core/query/query.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shardlens {

enum class Field : std::uint8_t {
  Axis,
  Buffer,
  Bytes,
  Cache,
  Device,
  DType,
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
  Sequence,
  Step,
  Tensor,
  Time,
};

// What its values are: one of some words, a part of a text, numbers (3, 0-3), or amounts that are
// compared (bytes>1MB).
enum class FieldType : std::uint8_t { Word, Text, Number, Amount };

struct FieldInfo {
  Field field;
  std::string_view name;
  FieldType type;
  Unit unit;                                // of amounts
  std::span<const std::string_view> words;  // the only ones; none: any
  std::string_view meaning;                 // "what it took"
};

// By name.
std::span<const FieldInfo> queryFields();
const FieldInfo* findField(std::string_view name);  // null where there is none

// Words that ask something of their own; all others are looked for in texts.
inline constexpr std::string_view kNan = "nan";          // a value of its tensor is not a number
inline constexpr std::string_view kRunning = "running";  // it has not ended

// Why a term cannot be: no such field, or not such a value.
std::optional<QueryMistake> checkTerm(const Term& term);

}  // namespace shardlens
