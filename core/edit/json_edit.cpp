#include "core/edit/json_edit.h"

#include "core/base/json_text.h"
#include "core/edit/json_places.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
}

std::size_t lineBegin(std::string_view text, std::size_t at) {
  const auto before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Returns the separator to insert before an element like the one at `at`: a line break and the same
// indentation if that element begins its line, else a space.
std::string gapBefore(std::string_view text, std::size_t at) {
  const std::size_t begin = lineBegin(text, at);
  const std::string_view indent = text.substr(begin, at - begin);
  return begin > 0 && isBlank(indent) ? "\n" + std::string(indent) : " ";
}

std::string replaced(std::string text, const JsonPlace& place, const Json& value) {
  const std::string_view written =
      std::string_view(text).substr(place.begin, place.end - place.begin);
  const Json now = parsed(written);
  if (now == value) return text;
  if (!now.is_array() || !value.is_array() || now.size() != value.size()) {
    return text.replace(place.begin, place.end - place.begin, spacedJson(value));
  }
  const auto items = JsonPlaces(text).inside(place);
  for (std::size_t i = items.size(); i > 0; --i) {  // back to front: earlier positions stay valid
    text = replaced(std::move(text), items[i - 1], value[i - 1]);
  }
  return text;
}

// Inserts a member or item `part` behind `before`, which must be an element of `all`.
std::string insertedAfter(std::string text, const std::vector<JsonPlace>& all,
                          const JsonPlace& before, const std::string& part) {
  const bool isLast = &before == &all.back();
  const std::string gap = gapBefore(text, before.keyBegin);
  if (isLast) {
    text.insert(before.end, ",");
  }
  // Insert behind the comma and behind a comment on the same line, which belongs to `before`.
  const JsonPlaces places(text);
  const std::size_t comma = isLast ? before.end : places.afterSpace(before.end);
  const auto line = places.restOfLine(comma + 1);
  const std::size_t at = line && gap != " " ? *line : comma + 1;
  return text.insert(at, gap + part + (isLast ? "" : ","));
}

}  // namespace

std::string spacedJson(const Json& value) {
  if (!value.is_structured()) return jsonText(value);
  std::string text;
  for (const auto& [key, item] : value.items()) {
    text += text.empty() ? "" : ", ";
    if (value.is_object()) text += jsonText(Json(key)) + ": ";
    text += spacedJson(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string withValue(std::string text, const std::string& place, const Json& value) {
  const auto found = JsonPlaces(text).find(place);
  return found ? replaced(std::move(text), *found, value) : text;
}

std::string withMember(std::string text, const std::string& object, const std::string& key,
                       const Json& value, std::string_view after) {
  const JsonPlaces places(text);
  const auto whole = places.find(object);
  if (!whole) return text;
  const auto members = places.inside(*whole);
  const auto named = [&](std::string_view name) {
    return std::find_if(members.begin(), members.end(),
                        [&](const JsonPlace& each) { return each.key == name; });
  };
  if (const auto found = named(key); found != members.end()) {
    return replaced(std::move(text), *found, value);
  }
  const std::string member = jsonText(Json(key)) + ": " + spacedJson(value);
  if (members.empty()) return text.insert(whole->begin + 1, member);
  const auto found = named(after);
  const JsonPlace& before = found == members.end() ? members.back() : *found;
  return insertedAfter(std::move(text), members, before, member);
}

std::string withItem(std::string text, const std::string& list, std::size_t after,
                     const Json& item) {
  const JsonPlaces places(text);
  const auto whole = places.find(list);
  const auto items = whole ? places.inside(*whole) : std::vector<JsonPlace>();
  if (after >= items.size()) return text;
  return insertedAfter(std::move(text), items, items[after], spacedJson(item));
}

std::string withoutMember(std::string text, const std::string& object, const std::string& key) {
  const JsonPlaces places(text);
  const auto whole = places.find(object);
  const auto members = whole ? places.inside(*whole) : std::vector<JsonPlace>();
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const JsonPlace& each) { return each.key == key; });
  if (found == members.end()) return text;
  const bool isLast = found + 1 == members.end();
  std::size_t end = isLast ? found->end : places.afterSpace(found->end) + 1;
  const auto line = places.restOfLine(end);
  std::size_t begin = lineBegin(text, found->keyBegin);
  const bool isAlone = line && *line < text.size() &&
                       isBlank(std::string_view(text).substr(begin, found->keyBegin - begin));
  if (isAlone) {
    end = *line + 1;
  } else {
    begin = found->keyBegin;
    while (!isLast && end < text.size() && text[end] == ' ') ++end;
    const bool endsLine = isLast || text[end] == '\n';
    while (endsLine && begin > 0 && text[begin - 1] == ' ') --begin;
  }
  const bool hasComma = isLast && found != members.begin();
  const std::size_t comma = hasComma ? places.afterSpace((found - 1)->end) : 0;
  // Keep the closing bracket on its line, unless a comment precedes it there.
  const bool isOnlySpace =
      hasComma && text.find_first_not_of(" \t\r\n", comma + 1) == found->keyBegin;
  if (isOnlySpace && !isAlone) begin = comma + 1;
  text.erase(begin, end - begin);
  return hasComma ? text.erase(comma, 1) : text;
}

}  // namespace shardlens
