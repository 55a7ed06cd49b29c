#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardlens {

// Returns a 64-bit hash of the elements of a tensor, row-major bytes of any alignment. It is the
// same on all machines. Not for data that is made to collide. Reads the bytes once.
//
// The bytes are little-endian words w(0), w(1), ... of 8 bytes, the last one padded with zeros. The
// hash is the sum of mix(w(i) + (i + 1) * kStep), plus mix(number of bytes), modulo 2^64, where
// mix(x) is: x ^= x >> 32; x *= kFactor; x ^= x >> 29. The order of a sum does not matter, so a GPU
// can compute it as a reduction: see shardlens/_job/summaries.py.
std::uint64_t elementHash(std::span<const std::byte> elements);

}  // namespace shardlens
