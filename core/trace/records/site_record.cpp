#include "core/trace/records/site_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {

std::string siteText(const SiteRecord& site) {
  if (site == SiteRecord()) return {};
  DetailJson json;
  if (!site.file.empty()) json["file"] = site.file;
  if (site.line != 0) json["line"] = site.line;
  if (!site.module.empty()) json["module"] = site.module;
  if (!site.pass.empty()) json["pass"] = site.pass;
  if (!site.caller.empty()) json["caller"] = site.caller;
  return jsonText(json);
}

SiteRecord readSite(std::string_view text) {
  if (text.empty()) return {};
  const auto object = parsedJson<DetailJson>(text);
  return {textOf(object, "file"), integerOf<int>(object, "line").value_or(0),
          textOf(object, "module"), textOf(object, "pass"), textOf(object, "caller")};
}

}  // namespace shardlens
