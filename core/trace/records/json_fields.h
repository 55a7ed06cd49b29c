#pragma once

#include "core/base/json_text.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

using DetailJson = nlohmann::ordered_json;

// Readers for members of a detail. A missing member, or one of another type, gives false, 0, an
// empty list or nullopt, because recordings may be older or not written by Shardlens. `object` may
// be another JSON value; it then has no members. listOf() returns a reference into `object`, or to
// a static empty list.
bool isTrue(const DetailJson& object, const char* key);
double realOf(const DetailJson& object, const char* key);
std::optional<double> optionalRealOf(const DetailJson& object, const char* key);
const DetailJson& listOf(const DetailJson& object, const char* key);
// Returns the strings in a list; a single string counts as a list of one.
std::vector<std::string> textsOf(const DetailJson& object, const char* key);

// Returns nullopt if it is not a number or does not fit in Integer. Truncates fractions.
template <class Integer>
std::optional<Integer> integerOf(const DetailJson& number) {
  if (!number.is_number()) return std::nullopt;
  const double limit = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  const double lowest = std::numeric_limits<Integer>::is_signed ? -limit : 0;
  const auto value = number.get<double>();
  if (!(value >= lowest && value < limit)) return std::nullopt;
  return number.get<Integer>();
}
template <class Integer>
std::optional<Integer> integerOf(const DetailJson& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : integerOf<Integer>(*found);
}

}  // namespace shardlens
