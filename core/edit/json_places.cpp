#include "core/edit/json_places.h"

#include "core/base/json_comment.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEndsLiteral = " \t\r\n,]}/";

}  // namespace

JsonPlace JsonPlaces::whole() const {
  const std::size_t begin = afterSpace(0);
  return {.key = {}, .keyBegin = begin, .begin = begin, .end = afterValue(begin)};
}

std::vector<JsonPlace> JsonPlaces::inside(const JsonPlace& place) const {
  std::vector<JsonPlace> all;
  const char opened = text_[place.begin];
  if (opened != '{' && opened != '[') return all;
  std::size_t at = afterSpace(place.begin + 1);
  while (at < place.end - 1) {
    JsonPlace found{.key = {}, .keyBegin = at, .begin = at, .end = 0};
    if (opened == '{') {
      const std::size_t end = afterString(at);
      found.key = parsedJson(text_.substr(at, end - at)).get<std::string>();
      found.begin = afterSpace(afterSpace(end) + 1);  // past the colon
    }
    found.end = afterValue(found.begin);
    at = afterSpace(found.end);
    if (text_[at] == ',') at = afterSpace(at + 1);
    all.push_back(std::move(found));
  }
  return all;
}

std::optional<JsonPlace> JsonPlaces::find(std::string_view pointer) const {
  JsonPlace place = whole();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string name(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(name.size());
    const auto all = inside(place);
    const bool isList = text_[place.begin] == '[';
    const auto found =
        isList ? all.begin() + static_cast<std::ptrdiff_t>(
                                   std::min(all.size(), static_cast<std::size_t>(std::stoul(name))))
               : std::find_if(all.begin(), all.end(),
                              [&](const JsonPlace& each) { return each.key == name; });
    if (found == all.end()) return std::nullopt;
    place = *found;
  }
  return place;
}

std::size_t JsonPlaces::afterSpace(std::size_t at) const {
  while (at < text_.size()) {
    if (text_[at] == '/') {
      at = afterComment(text_, at);
    } else if (kSpaces.find(text_[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::optional<std::size_t> JsonPlaces::restOfLine(std::size_t at) const {
  while (at < text_.size() && text_[at] != '\n') {
    if (text_[at] == '/') {
      at = afterComment(text_, at);
    } else if (kSpaces.find(text_[at]) != std::string_view::npos) {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  return at;
}

std::size_t JsonPlaces::afterValue(std::size_t at) const {
  if (text_[at] == '"') return afterString(at);
  if (text_[at] != '{' && text_[at] != '[') {
    return std::min(text_.find_first_of(kEndsLiteral, at), text_.size());
  }
  int depth = 0;
  do {
    const char c = text_[at];
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    at = c == '"' ? afterString(at) : c == '/' ? afterComment(text_, at) : at + 1;
  } while (depth > 0);
  return at;
}

std::size_t JsonPlaces::afterString(std::size_t at) const {
  ++at;
  while (text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
  return at + 1;
}

}  // namespace shardlens
