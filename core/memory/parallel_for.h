#pragma once

#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlens {

// A piece of work: a number of units, each of which moves this many bytes.
struct Work {
  std::int64_t units;
  std::int64_t bytesPerUnit;

  std::int64_t bytes() const { return units * bytesPerUnit; }
};

// Calls run(i, begin, end) for disjoint ranges that cover the units of each piece i. torch's
// threads share the ranges evenly by bytes, and `run` may be called concurrently. Small work, and
// work inside a parallel region, runs on the calling thread. Returns when all is done.
void parallelFor(const std::vector<Work>& pieces,
                 c10::function_ref<void(std::size_t, std::int64_t, std::int64_t)> run);

}  // namespace shardlens
