#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace shardlens {

enum class Comments { Refused, Allowed };

// What others wrote, or a discarded value where that is no JSON, or nested so deeply that copying
// or printing it would exhaust the stack.
template <class Json = nlohmann::json>
Json parsedJson(std::string_view text, Comments comments = Comments::Refused) {
  constexpr int kDeepest = 100;
  bool isTooDeep = false;
  auto json = Json::parse(
      text,
      [&](int depth, typename Json::parse_event_t, Json&) {
        isTooDeep |= depth > kDeepest;
        return !isTooDeep;
      },
      /*allow_exceptions=*/false, comments == Comments::Allowed);
  return isTooDeep ? Json(Json::value_t::discarded) : json;
}

// On one line. What is no UTF-8, as in the name of a file, is replaced rather than refused.
template <class Json>
std::string jsonText(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

// A value in an error: as it was written, unless that is long.
template <class Json>
std::string shown(const Json& value) {
  constexpr std::size_t kLongest = 40;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  if (text.size() <= kLongest) return text;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  text.resize(kLongest);
  return text + "...";
}

// The text that an object has of this name; empty where it has none. The value need not be an
// object.
template <class Json>
std::string textOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

}  // namespace shardlens
