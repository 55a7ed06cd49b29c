#include "core/trace/records/holder_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {

std::string holderDetail(std::string_view name) {
  DetailJson detail;
  detail["holder"] = name;
  return jsonText(detail);
}

std::string readHolder(std::string_view detail) {
  return textOf(parsedJson<DetailJson>(detail), "holder");
}

}  // namespace shardlens
