#pragma once

#include <cstdint>

namespace shardlens {

// How masked lookups run. Fused: one pass masks, shifts, looks up and zeroes, so that what it gives
// is a true partial sum. Stepwise: each of these is a step of its own with a mask buffer, as
// DTensor does it.
enum class Masking : std::uint8_t { Fused, Stepwise };

// What the strategy cache and the plan cache are used for. Verified: every answer they remember is
// worked out anew as well, and a step where the two differ is refused.
enum class Caches : std::uint8_t { On, Off, Verified };

// Whether an operator may have its inputs sent elsewhere by itself. Explicit: only what sends
// nothing happens unasked.
enum class Redistributions : std::uint8_t { Implicit, Explicit };

}  // namespace shardlens
