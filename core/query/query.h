#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// What somebody asks of events, in one line: terms with blanks between them, all of which hold.
//
//   implicit bytes>1MB -axis:dp,pp rank:0-3 op:embedding placement:S(0) "layer norm"
//
// A word is looked for in what an event says of itself; `field:value` asks one thing of it, where
// any of several values will do. A minus before a term asks for the events for which it does not
// hold; a plus changes nothing. Which fields there are is said by query_fields.
struct Term {
  enum class Relation : std::uint8_t { Is, More, Less, AtLeast, AtMost };

  bool isNot = false;
  std::string field = {};  // empty: a word
  Relation relation = Relation::Is;
  std::vector<std::string> values = {};  // as they are written; one at least
  std::size_t at = 0;                    // where it stands in the text
  std::size_t length = 0;
  bool operator==(const Term&) const = default;
};

// What cannot be understood, and where.
struct QueryMistake {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string message;  // "unknown field colour, did you mean ..."
  bool operator==(const QueryMistake&) const = default;
};

using Query = std::vector<Term>;
tl::expected<Query, QueryMistake> parseQuery(std::string_view text);

// A value as it has to be written, in quotes where it would not be one value without.
std::string writtenValue(const std::string& value);

// Where the term begins that the cursor is in, or after.
std::size_t termAt(std::string_view text, std::size_t cursor);

// "12", "1.5MB" (or MiB, ...), "3ms": a number in bytes, in nanoseconds, or as it is. None where
// the unit is another, or it is no number.
enum class Unit : std::uint8_t { None, Bytes, Time };
std::optional<double> parseQuantity(std::string_view text, Unit unit);
// "3", "0-3": both ends.
std::optional<std::pair<std::int64_t, std::int64_t>> parseRange(std::string_view text);

}  // namespace shardlens
