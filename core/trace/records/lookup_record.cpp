#include "core/trace/records/lookup_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

bool isPairOfTexts(const DetailJson& row) {
  return row.is_array() && row.size() == 2 && row[0].is_string() && row[1].is_string();
}

}  // namespace

std::string lookupDetail(const LookupRecord& lookup) {
  DetailJson detail;
  if (!lookup.fields.empty()) {
    DetailJson& fields = detail["fields"] = DetailJson::array();
    for (const auto& field : lookup.fields) fields.push_back({field.name, field.text});
  }
  if (lookup.verified) detail["verified"] = true;
  return detail.empty() ? std::string() : jsonText(detail);
}

LookupRecord readLookup(std::string_view detail) {
  LookupRecord lookup;
  if (detail.empty()) return lookup;
  const auto object = parsedJson<DetailJson>(detail);
  if (!object.is_object()) return lookup;
  for (const auto& row : listOf(object, "fields")) {
    if (isPairOfTexts(row)) lookup.fields.push_back({row[0], row[1]});
  }
  lookup.verified = isTrue(object, "verified");
  return lookup;
}

std::string keyText(const std::vector<LookupField>& fields) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ", ") + field.text;
  return text;
}

}  // namespace shardlens
