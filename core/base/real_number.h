#pragma once

#include <charconv>
#include <string_view>

namespace shardlens {

// Returns the number that a text begins with, as "1.5e3" in JSON, in every locale: std::strtod()
// stops at the point where the locale has a comma, as in a Qt program. Returns 0 for other texts
// and outside of the range of double.
inline double realNumber(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace shardlens
