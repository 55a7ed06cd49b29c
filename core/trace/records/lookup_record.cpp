#include "core/trace/records/lookup_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

// Whether a row is a list of so many texts.
bool isRow(const DetailJson& row, std::size_t texts) {
  if (!row.is_array() || row.size() != texts) return false;
  for (const auto& text : row) {
    if (!text.is_string()) return false;
  }
  return true;
}

// A key that is no text is still one of its own.
std::string keyOf(const DetailJson& object) {
  const auto found = object.find("key");
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : jsonText(*found);
}

}  // namespace

std::string lookupDetail(const LookupRecord& lookup) {
  DetailJson detail;
  detail["key"] = lookup.key;
  DetailJson& fields = detail["fields"] = DetailJson::array();
  for (const auto& field : lookup.fields) fields.push_back({field.name, field.text});
  if (lookup.entries) detail["entries"] = *lookup.entries;
  if (lookup.age) detail["age"] = *lookup.age;
  if (lookup.verified) detail["verified"] = true;
  if (!lookup.nearest.empty()) {
    detail["nearest"] = lookup.nearest;
    DetailJson& differs = detail["differs"] = DetailJson::array();
    for (const auto& one : lookup.differs) differs.push_back({one.field, one.here, one.there});
  }
  if (!lookup.kept) detail["kept"] = false;
  if (!lookup.evicts.empty()) detail["evicts"] = lookup.evicts;
  return jsonText(detail);
}

LookupRecord readLookup(std::string_view detail) {
  const auto object = parsedJson<DetailJson>(detail);
  LookupRecord lookup;
  if (!object.is_object()) return lookup;
  lookup.key = keyOf(object);
  for (const auto& row : listOf(object, "fields")) {
    if (isRow(row, 2)) lookup.fields.push_back({row[0], row[1]});
  }
  lookup.entries = integerOf<std::int64_t>(object, "entries");
  lookup.age = integerOf<std::uint64_t>(object, "age");
  lookup.verified = isTrue(object, "verified");
  lookup.nearest = textOf(object, "nearest");
  for (const auto& row : listOf(object, "differs")) {
    if (isRow(row, 3)) lookup.differs.push_back({row[0], row[1], row[2]});
  }
  const auto kept = object.find("kept");
  lookup.kept = kept == object.end() || *kept != false;
  lookup.evicts = textOf(object, "evicts");
  return lookup;
}

}  // namespace shardlens
