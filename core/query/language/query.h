#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// A term of a query. A query is one line of terms separated by blanks; an event matches if all
// terms match.
//
//   implicit bytes>1MB -axis:dp,pp rank:0-3 op:embedding placement:S(0) "layer norm"
//
// A word is searched in the event's texts. `field:value` tests a field, and matches if any of
// several values does. A minus negates the term; a plus has no effect. See query_fields.h for the
// fields.
struct Term {
  enum class Relation : std::uint8_t { Is, More, Less, AtLeast, AtMost };

  bool isNot = false;
  std::string field = {};  // "" for a word
  Relation relation = Relation::Is;
  std::vector<std::string> values = {};  // unquoted; at least one
  std::size_t at = 0;                    // offset in the text
  std::size_t length = 0;
  bool operator==(const Term&) const = default;
};

// A syntax error and its position in the text.
struct QueryMistake {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string message;  // "got the field colour, expected axis, buffer, ..."
  bool operator==(const QueryMistake&) const = default;
};

using Query = std::vector<Term>;
// Parses and checks a query. An empty text gives an empty query, which matches every event.
tl::expected<Query, QueryMistake> parseQuery(std::string_view text);

// Returns a value as written in a query, quoted if necessary. Values that contain a quote cannot be
// written.
std::string writtenValue(const std::string& value);

// Returns the offset at which the term at, or before, the cursor begins. Returns `cursor` if a
// blank is before it.
std::size_t termAt(std::string_view text, std::size_t cursor);

// Parses a number with an optional unit: "12", "1.5MB" (or MiB, ...) in bytes, "3ms" in
// nanoseconds. Returns nullopt for another unit or text. Units ignore case. KB, MB, ... are powers
// of 1000, KiB, MiB, ... of 1024.
enum class Unit : std::uint8_t { None, Bytes, Time };
std::optional<double> parseQuantity(std::string_view text, Unit unit);
// Parses "3" or "0-3" and returns both ends, inclusive; nullopt for other text.
std::optional<std::pair<std::int64_t, std::int64_t>> parseRange(std::string_view text);

}  // namespace shardlens
