#pragma once

#include "core/base/refusal.h"
#include "core/trace/events/capture.h"

#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Parses the capture rules in the argument `values` of record(). Throws Refusal if one is invalid.
inline Capture recordedValues(const std::vector<std::string>& values) {
  auto capture = parseCapture(values);
  if (!capture) throw Refusal("values: " + capture.error().message);
  return *std::move(capture);
}

}  // namespace shardlens
