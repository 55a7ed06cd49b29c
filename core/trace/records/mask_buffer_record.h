#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What the detail of a MaskMaterialized, MaskApplied or MaskReleased event says.
struct MaskBufferRecord {
  std::vector<std::string> holders = {};  // names of tensors
  Shape offsetShape = {};                 // of its MaskPartial
  int offsetDim = 0;
  bool operator==(const MaskBufferRecord&) const = default;
};

std::string maskBufferDetail(const MaskBufferRecord& buffer);
MaskBufferRecord readMaskBuffer(std::string_view detail);

}  // namespace shardlens
