#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace shardlens {

// How masked lookups run. Fused: one pass masks, shifts, looks up and zeroes, so that what it gives
// is a true partial sum. Stepwise: each of these is a step of its own with a mask buffer, as
// DTensor does it.
enum class Masking : std::uint8_t { Fused, Stepwise };

// Whose mask buffers a run has: the engine's own, or those of a version of PyTorch with its
// defects, to be watched; these mask stepwise. Torch215: the strategy cache remembers a placement
// with its buffer in it, so that all lookups of the same shapes share that one, whatever their ids
// are. Before131264, the version before pull request 131264: the same with a buffer for one lookup
// at a time, and a plan cache that knows masks by the logical dimension size alone.
enum class Emulation : std::uint8_t { None, Torch215, Before131264 };
inline constexpr std::array<std::string_view, 3> kEmulationNames = {"", "torch-2.15",
                                                                    "before-131264"};
inline std::string_view emulationName(Emulation emulation) {
  return kEmulationNames[static_cast<std::size_t>(emulation)];
}

// What the strategy cache and the plan cache are used for. Verified: every answer they remember is
// worked out anew as well, and a step where the two differ is refused.
enum class Caches : std::uint8_t { On, Off, Verified };

// Whether an operator may have its inputs sent elsewhere by itself. Explicit: only what sends
// nothing happens unasked.
enum class Redistributions : std::uint8_t { Implicit, Explicit };

// What becomes of an operator that has no sharding rule. Replicated: every rank runs it on whole
// inputs, where that is sure to be right.
enum class UnknownOperators : std::uint8_t { Refused, Replicated };

}  // namespace shardlens
