#pragma once

#include <cstdint>

namespace shardlens::view {

// The semantic style of text. The terminal and the window map it to colours and weights.
enum class Tone : std::uint8_t {
  Plain,
  Quiet,
  Good,
  Warn,
  Bad,
  Strong,
  Traffic,  // communication
  Value,    // dtype, shape and placements
};

}  // namespace shardlens::view
