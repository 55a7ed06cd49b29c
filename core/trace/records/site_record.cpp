#include "core/trace/records/site_record.h"

#include "core/trace/records/json_fields.h"

#include <algorithm>

namespace shardlens {

namespace {

// Returns true if JSON needs no escapes for the text.
bool isPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
  });
}

}  // namespace

// Called for every operator, so it writes the JSON directly instead of building a document.
std::string siteText(const SiteRecord& site) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value, bool isText) {
    text.append(text.empty() ? "{\"" : ",\"").append(key).append("\":");
    if (isText && isPlain(value)) {
      text.append(1, '"').append(value).append(1, '"');
    } else {
      text.append(isText ? jsonText(DetailJson(value)) : value);
    }
  };
  if (!site.file.empty()) add("file", site.file, true);
  if (site.line != 0) add("line", std::to_string(site.line), false);
  if (!site.module.empty()) add("module", site.module, true);
  if (!site.pass.empty()) add("pass", site.pass, true);
  if (!site.caller.empty()) add("caller", site.caller, true);
  return text.empty() ? text : text + '}';
}

SiteRecord readSite(std::string_view text) {
  if (text.empty()) return {};
  const auto object = parsedJson<DetailJson>(text);
  return {textOf(object, "file"), integerOf<int>(object, "line").value_or(0),
          textOf(object, "module"), textOf(object, "pass"), textOf(object, "caller")};
}

}  // namespace shardlens
