#include "core/trace/records/mask_record_format1.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {

std::vector<std::string> readHoldersFormat1(std::string_view detail) {
  return textsOf(parsedJson<DetailJson>(detail), "holders");
}

}  // namespace shardlens
