#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The position of one value in a JSON text: [begin, end), in bytes.
struct JsonPlace {
  std::string key;           // name of the object member; else empty
  std::size_t keyBegin = 0;  // where the member's name begins; `begin` for other values
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Finds where the values of a JSON text are written, which a parser does not report. The text must
// be valid JSON, may have comments, and must outlive this object. Every call scans the text again.
class JsonPlaces {
 public:
  explicit JsonPlaces(std::string_view text) : text_(text) {}

  // Returns the place of the top-level value.
  JsonPlace whole() const;
  // Returns the members of an object or the items of a list, in order; empty for other values.
  std::vector<JsonPlace> inside(const JsonPlace& place) const;
  // Returns the value at a JSON pointer, such as "/steps/2/placements/0", or nullopt if there is
  // none. Does not decode ~0 and ~1. Throws std::invalid_argument if a list index is not a number.
  std::optional<JsonPlace> find(std::string_view pointer) const;

  // Returns the first position from `at` on that is neither white space nor part of a comment.
  std::size_t afterSpace(std::size_t at) const;
  // Returns the end of the line, the position of '\n' or the text's size, if only white space and
  // comments follow `at` on it. Otherwise returns nullopt.
  std::optional<std::size_t> restOfLine(std::size_t at) const;

 private:
  // Return the position just past the value or string that begins at `at`.
  std::size_t afterValue(std::size_t at) const;
  std::size_t afterString(std::size_t at) const;

  std::string_view text_;
};

}  // namespace shardlens
