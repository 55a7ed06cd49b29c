#include "core/trace/records/lookup_record_format1.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

// Returns the key; the JSON text of a key that is not a string.
std::string keyOf(const DetailJson& object) {
  const auto found = object.find("key");
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : jsonText(*found);
}

}  // namespace

LookupRecordFormat1 readLookupFormat1(std::string_view detail) {
  const auto object = parsedJson<DetailJson>(detail);
  LookupRecordFormat1 lookup;
  if (!object.is_object()) return lookup;
  lookup.key = keyOf(object);
  lookup.record = readLookup(detail);
  if (lookup.record.fields.empty() && !lookup.key.empty()) {
    lookup.record.fields.push_back({"key", lookup.key});
  }
  lookup.entries = integerOf<std::int64_t>(object, "entries").value_or(0);
  lookup.age = integerOf<std::uint64_t>(object, "age").value_or(0);
  lookup.nearest = textOf(object, "nearest");
  const auto kept = object.find("kept");
  lookup.kept = kept == object.end() || *kept != false;
  lookup.evicts = textOf(object, "evicts");
  return lookup;
}

}  // namespace shardlens
