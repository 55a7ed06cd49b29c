#pragma once

#include "core/model/placement.h"

#include <concepts>
#include <string>
#include <string_view>

namespace shardlens {

// Placements in a record: of a tensor on all mesh dimensions, or on some of them. If a dump of
// another tool or a version of torch has placements that recordings do not know, only their text.
struct RecordedPlacements {
  Placements placements = {};
  std::string text = {};  // if they are not known

  RecordedPlacements() = default;
  RecordedPlacements(Placements known) : placements(std::move(known)) {}
  // Parses the notation of recordings, with or without parentheses.
  template <std::convertible_to<std::string_view> Text>
  RecordedPlacements(const Text& written) {
    parse(written);
  }

  bool isEmpty() const { return placements.empty() && text.empty(); }
  bool operator==(const RecordedPlacements&) const = default;

 private:
  void parse(std::string_view written);
};

// Return the placements, or the text that was not parsed.
std::string listText(const RecordedPlacements& recorded);   // "S(0), R"
std::string shortText(const RecordedPlacements& recorded);  // "(S(0), R)"; "S(0)" if there is one
std::string toText(const RecordedPlacements& recorded);     // "(S(0), R)"; "(S(0))"

}  // namespace shardlens
