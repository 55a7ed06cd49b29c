#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A value that stands in a JSON text, from its first character to behind its last one.
struct JsonPlace {
  std::string key;           // of a member of an object
  std::size_t keyBegin = 0;  // of a list's item where it begins
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Where the parts of a JSON text stand, which a parser does not tell. The text is valid JSON,
// perhaps with comments.
class JsonPlaces {
 public:
  explicit JsonPlaces(std::string_view text) : text_(text) {}

  JsonPlace whole() const;
  // The members of an object or the items of a list, in order; of anything else none.
  std::vector<JsonPlace> inside(const JsonPlace& place) const;
  // By a JSON pointer: "/steps/2/placements/0".
  std::optional<JsonPlace> find(std::string_view pointer) const;

  // Past spaces, line ends and comments.
  std::size_t afterSpace(std::size_t at) const;
  // Past spaces and comments to the line's end, which is given; where something else stands on the
  // line, nothing.
  std::optional<std::size_t> restOfLine(std::size_t at) const;

 private:
  std::size_t afterValue(std::size_t at) const;
  std::size_t afterString(std::size_t at) const;

  std::string_view text_;
};

}  // namespace shardlens
