#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace shardlens {

// Whether JSON may contain // and /* */ comments.
enum class Comments { Refused, Allowed };

// Parses JSON from any source; does not throw. Returns a discarded value if the text is not valid
// JSON or is nested more than 100 levels deep, because copying it could exhaust the stack.
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

// Returns the value as JSON on one line. Invalid UTF-8, as in a file name, is replaced by U+FFFD
// instead of throwing.
template <class Json>
std::string jsonText(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

// Returns the value for an error message: as JSON in ASCII if that has at most 40 characters, else
// "an object", "a list" or a truncated scalar. Throws nlohmann's type_error if the value contains
// invalid UTF-8.
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

// Returns the string member `name` of `object`. Returns "" if the member is missing or not a
// string, or if `object` is not an object.
template <class Json>
std::string textOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

// core/base/json_text.cpp has these instances, because the parser and the writer take a second to
// compile.
#define SHARDLENS_JSON_TEXT(declaration, Json)                            \
  declaration template Json parsedJson<Json>(std::string_view, Comments); \
  declaration template std::string jsonText(const Json&);                 \
  declaration template std::string shown(const Json&);                    \
  declaration template std::string textOf(const Json&, const char*);
SHARDLENS_JSON_TEXT(extern, nlohmann::json)
SHARDLENS_JSON_TEXT(extern, nlohmann::ordered_json)

}  // namespace shardlens
