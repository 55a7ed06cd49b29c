#include "app/cli/detail_words.h"

#include "app/cli/event_words.h"
#include "app/cli/prose.h"
#include "core/model/byte_count.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens::cli {
namespace {

using nlohmann::json;

json parsed(std::string_view detail) {
  return json::parse(detail, nullptr, /*allow_exceptions=*/false);
}

json list(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_array() ? *found : json::array();
}

std::string joined(const json& texts) {
  std::string text;
  for (const auto& one : texts) {
    if (!one.is_string()) continue;
    if (!text.empty()) text += ", ";
    text += one.get_ref<const std::string&>();
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string costText(const json& candidate) {
  const auto bytes = candidate.value("bytes", std::int64_t{-1});
  if (bytes < 0) return {};
  return bytes == 0 ? "sends nothing" : "each rank receives " + byteCountText(bytes);
}

}  // namespace

std::string timesText(int count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

std::string groupsText(std::string_view ranks) {
  constexpr std::size_t kMostGroups = 16, kMostLetters = 80;
  const auto groups = split(ranks, '|');
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    auto group = groups[i];
    if (group.size() > kMostLetters) group.resize(group.rfind(',', kMostLetters) + 1);
    text += (i == 0 ? "{" : " {") + group + (group.size() < groups[i].size() ? "...}" : "}");
  }
  const auto left = groups.size() - std::min(groups.size(), kMostGroups);
  return left == 0 ? text : text + " and " + plural(static_cast<int>(left), "more group");
}

std::string argumentsText(std::string_view detail) {
  return "(" + joined(list(parsed(detail), "args")) + ")";
}

std::string missText(std::string_view detail) {
  const json why = parsed(detail);
  if (!why.is_object()) return "nothing like it before";
  const auto entries = why.value("entries", 0);
  if (entries == 0) return "it is empty";
  const json differs = list(why, "differs");
  std::string text;
  for (const auto& field : differs) {
    if (!field.is_array() || field.size() != 3 || joined(field).empty()) continue;
    text += (text.empty() ? "the nearest entry has " : ", ") + field[0].get<std::string>() + " " +
            field[2].get<std::string>() + ", not " + field[1].get<std::string>();
  }
  if (!text.empty()) return text;
  return "nothing like it among " + std::to_string(entries) +
         (entries == 1 ? " entry" : " entries");
}

std::string chosenText(std::string_view detail) {
  const json candidates = parsed(detail);
  if (!candidates.is_array() || candidates.empty() || !candidates[0].is_object()) return {};
  const json& chosen = candidates[0];
  std::string text =
      ": " + joined(list(chosen, "inputs")) + " -> " + joined(list(chosen, "outputs"));
  const auto cost = costText(chosen);
  return cost.empty() ? text : text + ", " + cost;
}

std::string rivalsText(std::string_view detail) {
  constexpr std::size_t kNamed = 3;
  const json candidates = parsed(detail);
  if (!candidates.is_array()) return {};
  std::vector<std::string> rivals;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (!candidates[i].is_object()) continue;
    const auto name = candidates[i].value("name", std::string("?"));
    const auto cost = costText(candidates[i]);
    const auto rival = cost.empty() ? name : name + " (" + cost + ")";
    if (std::find(rivals.begin(), rivals.end(), rival) == rivals.end()) rivals.push_back(rival);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(rivals.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + rivals[i];
  }
  return rivals.size() > kNamed ? text + ", ..." : text;
}

std::string holdersText(std::string_view detail) {
  const auto names = joined(list(parsed(detail), "holders"));
  return names.empty() ? "" : ", held by " + names;
}

}  // namespace shardlens::cli
