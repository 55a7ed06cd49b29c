#include "core/trace/records/mask_buffer_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {

std::string maskBufferDetail(const MaskBufferRecord& buffer) {
  DetailJson detail;
  detail["holders"] = buffer.holders;
  detail["offset_shape"] = buffer.offsetShape;
  detail["offset_dim"] = buffer.offsetDim;
  return jsonText(detail);
}

MaskBufferRecord readMaskBuffer(std::string_view detail) {
  const auto object = parsedJson<DetailJson>(detail);
  MaskBufferRecord buffer;
  buffer.holders = textsOf(object, "holders");
  for (const auto& size : listOf(object, "offset_shape")) {
    if (const auto number = integerOf<std::int64_t>(size)) buffer.offsetShape.push_back(*number);
  }
  buffer.offsetDim = integerOf<int>(object, "offset_dim").value_or(0);
  return buffer;
}

}  // namespace shardlens
