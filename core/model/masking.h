#pragma once

namespace shardlens {

// How masked lookups run. Fused: one pass masks, shifts, looks up and zeroes, so that what it gives
// is a true partial sum. Stepwise: each of these is a step of its own with a mask buffer, as
// DTensor does it.
enum class Masking { Fused, Stepwise };

}  // namespace shardlens
