#pragma once

#include <cstdint>

namespace shardlens::view {

// How words want to be seen: a terminal and the window have colours and weights for each.
enum class Tone : std::uint8_t {
  Plain,
  Quiet,
  Good,
  Warn,
  Bad,
  Strong,
  Traffic,  // what sends something
  Value,    // what a tensor is
};

}  // namespace shardlens::view
